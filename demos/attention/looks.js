// One listener for all: Gradio replaces what is inside at every result.
const show = (button) => {
  const looks = button.closest('.looks'), top = looks.querySelector('.top');
  looks.querySelectorAll('.chip[aria-pressed="true"]').forEach((b) => b.setAttribute('aria-pressed', 'false'));
  button.setAttribute('aria-pressed', 'true');
  top.src = button.querySelector('img').src;
  looks.querySelector('.named').textContent = button.dataset.name;
  looks.querySelector('details').open = true;
};
element.addEventListener('click', (event) => {
  const button = event.target.closest('.chip');
  if (button) show(button);
});
element.addEventListener('input', (event) => {
  if (event.target.type === 'range') element.querySelector('.top').style.opacity = event.target.value / 100;
});
