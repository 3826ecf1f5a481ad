// One picture under two sides: slide, toggle, ten times the difference; and the blind game. Texts are set as textContent.
const look = element.querySelector('.look');
const find = (name) => look.querySelector(name);
const canvas = find('canvas'), pen = canvas.getContext('2d', {willReadFrequently: true}), slider = find('.stage input'), game = find('.game');
const state = {data: null, other: 1, at: 0, mode: 'slide', flipped: false, round: 0, right: 0, answer: 0, pool: [], images: new Map()};
const ROUNDS = 10, TIMES = 10;
const make = (name, text, words) => {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (words) made.className = words;
  return made;
};

function load() {
  let found = null;
  try { found = props.value ? JSON.parse(props.value) : null; } catch { found = null; }
  Object.assign(state, {data: found, other: 1, at: 0, flipped: false});
  state.images.clear();
  look.hidden = !found;
  if (!found) return;
  stop();
  chips();
  draw();
}

function chips() {
  const holder = find('.sides');
  holder.replaceChildren(...state.data.sides.slice(1).map((side, i) => {
    const button = make('button', `${side.letter} ${side.label}`);
    button.type = 'button';
    button.setAttribute('aria-pressed', String(state.other === i + 1));
    button.addEventListener('click', () => { state.other = i + 1; stop(); chips(); draw(); });
    return button;
  }));
}

function uriOf(side, at) {
  return state.data.pictures[side.pictures[at]];
}

function image(side, at) {
  const uri = uriOf(state.data.sides[side], at);
  if (!state.images.has(uri)) {
    state.images.set(uri, new Promise((done) => {
      const made = new Image();
      made.onload = () => done(made);
      made.src = uri;
    }));
  }
  return state.images.get(uri);
}

async function draw() {
  const {other, at} = state, count = state.data.sides[0].pictures.length;
  const [first, second] = await Promise.all([image(0, at), image(other, at)]);
  if (other !== state.other || at !== state.at) return;
  canvas.width = first.width;
  canvas.height = first.height;
  const place = Math.round(canvas.width * slider.value / 100);
  if (state.mode === 'difference') difference(first, second);
  else if (state.mode === 'toggle') pen.drawImage(state.flipped ? second : first, 0, 0);
  else {
    pen.drawImage(first, 0, 0);
    if (place < canvas.width) {
      pen.drawImage(second, place, 0, canvas.width - place, canvas.height, place, 0, canvas.width - place, canvas.height);
    }
    pen.fillStyle = '#1b2027';
    pen.fillRect(place, 0, 1, canvas.height);
  }
  const [a, b] = [state.data.sides[0], state.data.sides[other]];
  find('.count').textContent = `${at + 1} of ${count}`;
  const [left, right] = find('.caps').children;
  left.textContent = state.mode === 'toggle' ? '' : `${a.letter}: ${a.captions[at] || a.label}`;
  right.textContent = state.mode === 'toggle'
    ? (state.flipped ? `${b.letter}: ${b.captions[at] || b.label}` : `${a.letter}: ${a.captions[at] || a.label}`)
    : `${b.letter}: ${b.captions[at] || b.label}`;
  if (state.mode === 'difference') right.textContent += `; the largest difference is ${state.largest} of 255`;
  slider.hidden = state.mode !== 'slide';
  press();
}

function press() {
  look.querySelectorAll('[data-mode]').forEach((button) => button.setAttribute('aria-pressed', String(game.hidden && button.dataset.mode === state.mode)));
  find('[data-game]').setAttribute('aria-pressed', String(!game.hidden));
}

function difference(first, second) {
  pen.drawImage(first, 0, 0);
  const whole = pen.getImageData(0, 0, canvas.width, canvas.height);
  pen.drawImage(second, 0, 0);
  const other = pen.getImageData(0, 0, canvas.width, canvas.height).data;
  state.largest = 0;
  for (let i = 0; i < other.length; i += 1) {
    if (i % 4 === 3) { whole.data[i] = 255; continue; }
    const apart = Math.abs(whole.data[i] - other[i]);
    state.largest = Math.max(state.largest, apart);
    whole.data[i] = Math.min(255, TIMES * apart);
  }
  pen.putImageData(whole, 0, 0);
  canvas.dataset.largest = String(state.largest);
}

look.querySelectorAll('[data-mode]').forEach((button) => button.addEventListener('click', () => {
  state.flipped = button.dataset.mode === 'toggle' && state.mode === 'toggle' ? !state.flipped : false;
  if (button.dataset.mode === 'toggle' && state.mode !== 'toggle') state.flipped = true;
  state.mode = button.dataset.mode;
  stop();
  draw();
}));
look.querySelectorAll('[data-move]').forEach((button) => button.addEventListener('click', () => {
  const count = state.data.sides[0].pictures.length;
  state.at = (state.at + Number(button.dataset.move) + count) % count;
  draw();
}));
slider.addEventListener('input', draw);
canvas.addEventListener('click', () => { if (state.mode === 'toggle') { state.flipped = !state.flipped; draw(); } });

function stop() {
  game.hidden = true;
  press();
  find('.stage').hidden = false;
}

function shuffled(count) {
  const order = [...Array(count).keys()];
  for (let i = count - 1; i > 0; i -= 1) {
    const j = Math.floor(Math.random() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

function start() {
  Object.assign(state, {round: 0, right: 0, pool: []});
  game.hidden = false;
  press();
  find('.stage').hidden = true;
  ask();
}

function ask() {
  if (!state.pool.length) state.pool = shuffled(state.data.sides[0].pictures.length);
  const at = state.pool.pop(), other = state.data.sides[state.other];
  state.answer = Math.random() < 0.5 ? 0 : 1;
  game.replaceChildren(make('p', `Round ${state.round + 1} of ${ROUNDS}: which of these two is ${other.label}?`));
  const pair = make('div', undefined, 'pair');
  [0, 1].forEach((place) => {
    const figure = make('figure'), picture = make('img'), button = make('button', place ? 'The right one' : 'The left one');
    picture.src = uriOf(place === state.answer ? other : state.data.sides[0], at);
    picture.alt = place ? 'right picture' : 'left picture';
    button.type = 'button';
    button.addEventListener('click', () => { state.right += Number(place === state.answer); state.round += 1; if (state.round < ROUNDS) ask(); else end(); });
    figure.append(picture, button);
    pair.append(figure);
  });
  game.append(pair);
}

function end() {
  let ways = 0, total = 1;
  const choose = (n, k) => (k ? choose(n, k - 1) * (n - k + 1) / k : 1);
  for (let k = state.right; k <= ROUNDS; k += 1) ways += choose(ROUNDS, k);
  for (let k = 0; k < ROUNDS; k += 1) total *= 2;
  const share = 100 * ways / total;
  game.replaceChildren(
    make('p', `${state.right} of ${ROUNDS} right. Whoever guesses gets as many or more in ${share < 10 ? share.toFixed(1) : Math.round(share)}% of games`
      + (share > 5 ? ', so this does not show that the two can be told apart.' : ', so you can tell the two apart.')),
  );
  const again = make('button', 'Again');
  again.type = 'button';
  again.addEventListener('click', start);
  game.append(again);
}
find('[data-game]').addEventListener('click', start);
load();
watch('value', load);
