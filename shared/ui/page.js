// What the page does besides Gradio: the theme's switch, numbers that are out of range, the clean view, cards dropped.

document.addEventListener('click', (event) => {
  const url = new URL(window.location.href), hit = (name) => event.target.closest && event.target.closest(name);
  if (hit('.sbs-theme')) {
    const dark = document.body.classList.toggle('dark');
    document.body.style.backgroundColor = 'var(--body-background-fill)';
    url.searchParams.set('__theme', dark ? 'dark' : 'light');
    history.replaceState(null, '', url);
  }
  const link = hit('a[href^="?"]'), theme = url.searchParams.get('__theme');
  if (link && theme && !event.defaultPrevented) {
    const to = new URL(link.href);
    to.searchParams.set('__theme', theme);
    link.href = to.pathname + to.search;
  }
}, true);

// Gradio's slider moves a typed number to the nearest end when its box is left. It must stay as it was typed, so that
// the run says in a sentence what is wrong with it.
document.addEventListener('blur', (event) => {
  const box = event.target;
  if (!box.matches || !box.matches('.sbs-control input[type="number"]')) return;
  const typed = box.valueAsNumber;
  if (Number.isNaN(typed) || typed < Number(box.min || -Infinity) || typed > Number(box.max || Infinity)) {
    event.stopImmediatePropagation();
  }
}, true);

// `?view=clean` shows results alone.
if (new URL(window.location.href).searchParams.get('view') === 'clean') {
  document.documentElement.classList.add('sbs-clean');
}

// A saved card carries a link in a text chunk of its PNG ("iTXt", key "Link"): dropped on the page it is followed.
const linkOfCard = (buffer) => {
  const view = new DataView(buffer), bytes = new Uint8Array(buffer);
  if (buffer.byteLength < 16 || view.getUint32(0) !== 0x89504e47) return null;
  for (let at = 8; at + 12 <= buffer.byteLength;) {
    const length = view.getUint32(at), kind = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    if (at + 12 + length > buffer.byteLength) return null;
    if (kind === 'iTXt') {
      const body = bytes.subarray(at + 8, at + 8 + length);
      const end = body.indexOf(0), key = String.fromCharCode(...body.subarray(0, end));
      if (key === 'Link' && body[end + 1] === 0) {
        const language = body.indexOf(0, end + 3), translated = body.indexOf(0, language + 1);
        const text = new TextDecoder().decode(body.subarray(translated + 1));
        return text.startsWith('?demo=') ? text : null;
      }
    }
    at += 12 + length;
  }
  return null;
};

const openCard = async (file) => {
  const found = file && file.size < 64e6 ? linkOfCard(await file.arrayBuffer()) : null;
  if (found) {
    const theme = new URL(window.location.href).searchParams.get('__theme');
    window.location.search = theme ? `${found}&__theme=${encodeURIComponent(theme)}` : found;
    return;
  }
  const said = document.querySelector('.sbs-card-said');
  if (said) said.textContent = 'This file is no card saved here, so it has no settings to restore.';
};

const carriesFile = (event) => event.dataTransfer && [...event.dataTransfer.types].includes('Files');
const isForUpload = (event) => event.target.closest && event.target.closest('.sbs-control, input[type="file"]');
document.addEventListener('dragover', (event) => {
  if (carriesFile(event) && !isForUpload(event)) event.preventDefault();
});
document.addEventListener('drop', (event) => {
  if (!carriesFile(event) || isForUpload(event)) return;
  event.preventDefault();
  openCard(event.dataTransfer.files[0]);
});
document.addEventListener('change', (event) => {
  if (event.target.matches && event.target.matches('.sbs-card-file')) openCard(event.target.files[0]);
});
