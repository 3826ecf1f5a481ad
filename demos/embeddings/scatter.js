// The linked maps. Each canvas lies over a side's still picture, drawn from the same points in the same frame; what is
// hovered, picked or selected in one is shown in all. Texts from the data are set as textContent, never as HTML.
const ANIMATION = 700, NEAR = 14, FADED = 0.16, LINE = 1.5, APART = 3;
const right = element.closest('.sbs-right'), link = element.querySelector('.link');
const find = (name) => link.querySelector(name);
const tip = element.querySelector('.tip'), legend = find('.legend'), detail = find('.detail'), search = find('input'), count = find('.count');
const state = {data: null, positions: [], goals: [], panes: [], mask: null, hover: -1, picked: -1, tool: 'lasso', touch: false, sheet: null, frames: 0};

const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
const numbers = (text, Kind) => new Kind(bytes(text).buffer);
const make = (name, words, text) => {
  const made = document.createElement(name);
  if (words) made.className = words;
  if (text !== undefined) made.textContent = text;
  return made;
};
const dark = () => document.body.classList.contains('dark');
const css = (name) => getComputedStyle(link).getPropertyValue(name).trim();

function load() {
  let found = null;
  try { found = props.value ? JSON.parse(props.value) : null; } catch { found = null; }
  const old = state.data;
  if (found) {
    found.sides.forEach((side) => {
      side.xy = numbers(side.points, Float32Array);
      side.own = numbers(side.trust, Float32Array);
    });
    found.label = numbers(found.labels, Int16Array);
    found.near = numbers(found.neighbours, Int32Array);
    found.drawn = numbers(found.order, Int32Array);
    found.low = (found.texts || []).map((text) => text.toLowerCase());
  }
  state.data = found;
  const same = old && found && old.key === found.key && old.count === found.count;
  if (!same) Object.assign(state, {mask: null, picked: -1});
  state.hover = -1;
  state.sheet = null;
  if (found && found.sheet) {
    const sheet = new Image();
    sheet.onload = () => { state.sheet = sheet; showDetail(); };
    sheet.src = found.sheet.uri;
  }
  search.value = same ? search.value : '';
  if (!same) count.textContent = '';
  attach();
  if (found) { drawLegend(); showDetail(); animate(same); }
}

// The canvases go into the frames of the sides that show this very result; a study's sides are left alone.
function attach() {
  const sections = right ? [...right.querySelectorAll('.sbs-pictures .sbs-side')] : [];
  const ours = state.data && sections.length === state.data.sides.length
    && sections.every((section, i) => section.querySelector('.sbs-label').textContent.endsWith(state.data.sides[i].name));
  link.style.display = ours ? '' : 'none';
  if (!ours) {
    sections.forEach((section) => section.querySelectorAll('canvas.map').forEach((canvas) => canvas.remove()));
    sections.forEach((section) => { const still = section.querySelector('.sbs-picture'); if (still) still.style.visibility = ''; });
    state.panes = [];
    return;
  }
  state.panes = sections.map((section, i) => {
    const frame = section.querySelector('.sbs-frame'), old = state.panes[i];
    return old && old.frame === frame && frame.contains(old.over) ? old : mount(frame, i);
  });
}

function mount(frame, index) {
  frame.style.position = 'relative';
  const layer = () => {
    const canvas = make('canvas', 'map');
    Object.assign(canvas.style, {position: 'absolute', inset: '0', width: '100%', height: '100%', outlineOffset: '-2px'});
    frame.appendChild(canvas);
    return canvas;
  };
  const pane = {frame, index, base: layer(), over: layer(), zoom: 1, dx: 0, dy: 0, path: null, drag: null, wheel: false};
  pane.over.tabIndex = 0;
  pane.over.setAttribute('role', 'img');
  pane.over.setAttribute('aria-label', `Map of ${state.data.sides[index].name}, ${state.data.count} points; the table below has its measures`);
  const still = frame.querySelector('.sbs-picture');
  wire(pane);
  new ResizeObserver(() => { if (frame.clientWidth && size(pane)) { paint(pane); trace(pane); if (still) still.style.visibility = 'hidden'; } }).observe(frame);
  return pane;
}

function size(pane) {
  const ratio = window.devicePixelRatio || 1;
  [pane.width, pane.height, pane.ratio] = [pane.frame.clientWidth, pane.frame.clientHeight, ratio];
  for (const canvas of [pane.base, pane.over]) {
    canvas.width = Math.round(pane.width * ratio);
    canvas.height = Math.round(pane.height * ratio);
    canvas.style.cursor = state.tool === 'move' ? 'grab' : 'crosshair';
    canvas.style.touchAction = state.touch ? 'none' : 'pan-y';
  }
  return pane.width > 0 && pane.height > 0;
}

function scaleOf(pane) {
  const [x, y] = state.data.reach;
  return Math.min(pane.width / (2 * x), pane.height / (2 * y)) * pane.zoom;
}
function place(pane, i) {
  const scale = scaleOf(pane), xy = state.positions[pane.index];
  return [pane.width / 2 + pane.dx + xy[2 * i] * scale, pane.height / 2 + pane.dy - xy[2 * i + 1] * scale];
}
function radius(pane) {
  const size = Math.min(6, Math.max(1.3, 105 / Math.sqrt(state.data.count)));
  return size * Math.max(0.8, Math.min(pane.width / 720, pane.height / 480)) * Math.min(2.2, Math.sqrt(pane.zoom));
}

function colors() { return dark() ? state.data.dark : state.data.light; }
function lookOf(side, i) {
  const d = state.data, label = d.label[i], known = label >= 0 && label < d.most;
  const shape = known ? Math.floor(label / d.light.labels.length) : 0;
  if (!d.byTrust) return [d.names.length === 0 ? 'plain' : known ? `l${label % d.light.labels.length}` : 'unknown', shape];
  const own = side.own[i];
  return [Number.isNaN(own) ? 'unknown' : `t${d.steps.filter((step) => own >= step).length}`, shape];
}
function colorOf(name) {
  const all = colors();
  if (name === 'plain' || name === 'unknown') return all[name];
  return (name[0] === 'l' ? all.labels : all.trust)[Number(name.slice(1))];
}
function outline(pen, shape, x, y, r) {
  pen.beginPath();
  if (shape === 1) pen.rect(x - 0.85 * r, y - 0.85 * r, 1.7 * r, 1.7 * r);
  else if (shape === 2) { pen.moveTo(x, y - 1.2 * r); pen.lineTo(x - 1.1 * r, y + 0.8 * r); pen.lineTo(x + 1.1 * r, y + 0.8 * r); pen.closePath(); }
  else pen.arc(x, y, r, 0, 7);
}

// A point's picture is drawn once for each color and shape, then copied into one buffer of pixels: ten thousand points
// take a few milliseconds even where the browser draws without a GPU.
function stampOf(name, shape, r, half) {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 2 * half;
  const ink = canvas.getContext('2d', {willReadFrequently: true});
  ink.fillStyle = colorOf(name);
  outline(ink, shape, half, half, r);
  ink.fill();
  return ink.getImageData(0, 0, 2 * half, 2 * half).data;
}
function put(out, width, height, stamp, size, left, top) {
  const x0 = Math.max(0, -left), x1 = Math.min(size, width - left), y1 = Math.min(size, height - top);
  for (let y = Math.max(0, -top); y < y1; y++) {
    for (let x = x0, from = 4 * (y * size + x0), to = 4 * ((top + y) * width + left + x0); x < x1; x++, from += 4, to += 4) {
      const alpha = stamp[from + 3];
      if (!alpha) continue;
      const under = alpha === 255 ? 0 : (out[to + 3] * (255 - alpha)) / 255, all = alpha + under;
      for (let c = 0; c < 3; c++) out[to + c] = under ? (stamp[from + c] * alpha + out[to + c] * under) / all : stamp[from + c];
      out[to + 3] = all;
    }
  }
}
function paint(pane) {
  if (!state.data || !pane.width) return;
  const pen = pane.base.getContext('2d'), side = state.data.sides[pane.index], xy = state.positions[pane.index];
  if (!xy) return;
  const {width, height} = pane.base, ratio = pane.ratio, r = radius(pane) * ratio, half = Math.ceil(1.3 * r) + 1;
  if (!side.looks || side.looksOf !== state.data) {
    const kinds = new Map();
    side.looks = Uint16Array.from({length: state.data.count}, (_, i) => {
      const look = lookOf(side, i), key = look.join();
      if (!kinds.has(key)) kinds.set(key, [kinds.size, look]);
      return kinds.get(key)[0];
    });
    side.kinds = [...kinds.values()].map((kind) => kind[1]);
    side.looksOf = state.data;
  }
  const stamps = side.kinds.map(([name, shape]) => stampOf(name, shape, r, half));
  const image = pen.createImageData(width, height), out = image.data, scale = scaleOf(pane) * ratio;
  const x0 = (pane.width / 2 + pane.dx) * ratio - half, y0 = (pane.height / 2 + pane.dy) * ratio - half;
  for (const wanted of state.mask ? [0, 1] : [1]) {
    for (const i of state.data.drawn) {
      if (state.mask && state.mask[i] !== wanted) continue;
      put(out, width, height, stamps[side.looks[i]], 2 * half, Math.round(x0 + xy[2 * i] * scale), Math.round(y0 - xy[2 * i + 1] * scale));
    }
    // All unselected points fade as one, so that many on a spot are no darker.
    if (!wanted) for (let at = 3; at < out.length; at += 4) out[at] *= FADED;
  }
  pen.putImageData(image, 0, 0);
  state.frames++;
  link.dataset.frames = state.frames;
}

// Rings, neighbors and the lasso lie on a canvas of their own, so that hovering never draws the points again.
function trace(pane) {
  if (!state.data || !pane.width) return;
  const pen = pane.over.getContext('2d'), text = css('--sbs-text') || '#222', good = css('--sbs-good') || '#0a0', bad = css('--sbs-bad') || '#c00';
  pen.setTransform(pane.ratio, 0, 0, pane.ratio, 0, 0);
  pen.clearRect(0, 0, pane.width, pane.height);
  const ring = (i, r, color, wide, dash) => {
    const [x, y] = place(pane, i);
    pen.setLineDash(dash || []);
    pen.strokeStyle = color; pen.lineWidth = wide;
    pen.beginPath(); pen.arc(x, y, r, 0, 7); pen.stroke();
    pen.setLineDash([]);
  };
  const r = Math.max(4, radius(pane) + 2);
  if (state.picked >= 0) {
    const kept = keptOn(pane.index), [x, y] = place(pane, state.picked);
    neighbours(state.picked).forEach((j) => {
      const [to, at] = place(pane, j), stays = kept.has(j);
      pen.strokeStyle = stays ? good : bad; pen.lineWidth = 1; pen.setLineDash(stays ? [] : [3, 3]);
      pen.beginPath(); pen.moveTo(x, y); pen.lineTo(to, at); pen.stroke();
      ring(j, r - 0.5, stays ? good : bad, 1.2, stays ? [] : [2, 2]);
    });
    ring(state.picked, r + 3, text, 2.5);
  }
  if (state.hover >= 0) ring(state.hover, r + 3, text, 2.5);
  if (pane.path && pane.path.length > 1) {
    pen.beginPath();
    pane.path.forEach(([px, py], i) => (i ? pen.lineTo(px, py) : pen.moveTo(px, py)));
    pen.closePath();
    pen.globalAlpha = 0.12; pen.fillStyle = text; pen.fill(); pen.globalAlpha = 1;
    pen.strokeStyle = text; pen.lineWidth = LINE; pen.setLineDash([4, 3]); pen.stroke(); pen.setLineDash([]);
  }
}
const paintAll = () => state.panes.forEach(paint), traceAll = () => state.panes.forEach(trace);

// From where the points were to where they are now; the maps are aligned already, so nothing spins.
let moving = 0;
function animate(same) {
  cancelAnimationFrame(moving);
  const from = state.data.sides.map((side, i) => (same && state.positions[i] && state.positions[i].length === side.xy.length ? state.positions[i].slice() : null));
  state.positions = state.data.sides.map((side, i) => (from[i] ? from[i].slice() : side.xy.slice()));
  const still = window.matchMedia('(prefers-reduced-motion: reduce)').matches || from.every((f) => !f);
  const start = performance.now();
  const step = (now) => {
    const share = still ? 1 : Math.min(1, (now - start) / ANIMATION), eased = share < 0.5 ? 2 * share * share : 1 - 2 * (1 - share) ** 2;
    state.data.sides.forEach((side, s) => {
      const to = side.xy, at = state.positions[s], was = from[s];
      for (let i = 0; i < to.length; i++) at[i] = was ? was[i] + (to[i] - was[i]) * eased : to[i];
    });
    paintAll(); traceAll();
    if (share < 1) moving = requestAnimationFrame(step);
  };
  step(start);
}

function neighbours(i) { const k = state.data.k; return Array.from(state.data.near.subarray(i * k, (i + 1) * k)); }
function keptOn(index) {
  const xy = state.data.sides[index].xy, i = state.picked, k = state.data.k, best = [], far = [];
  for (let j = 0; j < state.data.count; j++) {
    const away = (xy[2 * j] - xy[2 * i]) ** 2 + (xy[2 * j + 1] - xy[2 * i + 1]) ** 2;
    if (j === i || (best.length === k && away >= far[k - 1])) continue;
    let at = best.length;
    while (at > 0 && far[at - 1] > away) at--;
    far.splice(at, 0, away); best.splice(at, 0, j);
    if (best.length > k) { far.pop(); best.pop(); }
  }
  return new Set(neighbours(i).filter((j) => best.includes(j)));
}
function nearest(pane, x, y) {
  const xy = state.positions[pane.index], scale = scaleOf(pane), x0 = pane.width / 2 + pane.dx, y0 = pane.height / 2 + pane.dy;
  let best = -1, least = NEAR * NEAR;
  for (let i = 0; i < state.data.count; i++) {
    const a = x0 + xy[2 * i] * scale - x, b = y0 - xy[2 * i + 1] * scale - y, far = a * a + b * b;
    if (far < least && (!state.mask || state.mask[i] || far < 16)) { least = far; best = i; }
  }
  return best;
}
function inside(path, x, y) {
  let within = false;
  for (let i = 0, j = path.length - 1; i < path.length; j = i++) {
    const [xi, yi] = path[i], [xj, yj] = path[j];
    if ((yi > y) !== (yj > y) && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) within = !within;
  }
  return within;
}
// Whether a point lies in the loop; most points are outside its box, which is quickly seen.
function enclosing(pane, path) {
  const xs = path.map((spot) => spot[0]), ys = path.map((spot) => spot[1]);
  const west = Math.min(...xs), east = Math.max(...xs), north = Math.min(...ys), south = Math.max(...ys);
  return (i) => {
    const [x, y] = place(pane, i);
    return x >= west && x <= east && y >= north && y <= south && inside(path, x, y);
  };
}
function select(test) {
  const mask = new Uint8Array(state.data.count);
  let chosen = 0;
  for (let i = 0; i < mask.length; i++) if (test(i)) { mask[i] = 1; chosen++; }
  state.mask = chosen ? mask : null;
  state.picked = -1;
  paintAll(); traceAll(); showDetail();
  return chosen;
}
function pick(i) { state.picked = i; traceAll(); showDetail(); }
function clear() { search.value = ''; count.textContent = ''; select(() => false); }

function wire(pane) {
  const canvas = pane.over, at = (event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
  const acts = (event) => event.pointerType === 'mouse' || event.pointerType === 'pen' || state.touch;
  canvas.addEventListener('pointerdown', (event) => {
    if (event.button) return;
    pane.wheel = true;
    pane.drag = {start: at(event), dx: pane.dx, dy: pane.dy, far: 0};
    if (acts(event)) { canvas.setPointerCapture(event.pointerId); if (state.tool === 'lasso') pane.path = [at(event)]; }
  });
  canvas.addEventListener('pointermove', (event) => {
    const [x, y] = at(event);
    if (pane.drag) {
      pane.drag.far = Math.max(pane.drag.far, Math.hypot(x - pane.drag.start[0], y - pane.drag.start[1]));
      if (!acts(event)) return;
      if (state.tool === 'move') { pane.dx = pane.drag.dx + x - pane.drag.start[0]; pane.dy = pane.drag.dy + y - pane.drag.start[1]; paint(pane); }
      else if (pane.path && Math.hypot(x - pane.path.at(-1)[0], y - pane.path.at(-1)[1]) >= APART) pane.path.push([x, y]);
      trace(pane);
      return;
    }
    if (event.pointerType === 'touch') return;
    hover(nearest(pane, x, y), event);
  });
  canvas.addEventListener('pointerup', (event) => {
    const path = pane.path, drag = pane.drag;
    pane.path = pane.drag = null;
    if (!drag) return;
    if (drag.far < 5) { const i = nearest(pane, ...at(event)); if (i >= 0) pick(i); else if (state.mask || state.picked >= 0) clear(); }
    else if (path && path.length > 2) select(enclosing(pane, path));
    trace(pane);
  });
  canvas.addEventListener('pointercancel', () => { pane.path = pane.drag = null; trace(pane); });
  canvas.addEventListener('pointerleave', () => { pane.wheel = false; hover(-1); });
  canvas.addEventListener('wheel', (event) => {
    if (!pane.wheel && !event.ctrlKey) return;
    event.preventDefault();
    zoom(pane, Math.exp(-event.deltaY / 400), ...at(event));
  }, {passive: false});
  canvas.addEventListener('dblclick', () => reset(pane));
  canvas.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') clear();
    if (event.key === '+' || event.key === '=') zoom(pane, 1.3, pane.width / 2, pane.height / 2);
    if (event.key === '-') zoom(pane, 1 / 1.3, pane.width / 2, pane.height / 2);
  });
}
function zoom(pane, by, x, y) {
  const next = Math.min(60, Math.max(0.5, pane.zoom * by)), real = next / pane.zoom, cx = pane.width / 2, cy = pane.height / 2;
  pane.dx = x - cx - (x - cx - pane.dx) * real;
  pane.dy = y - cy - (y - cy - pane.dy) * real;
  pane.zoom = next;
  paint(pane); trace(pane);
}
function reset(pane) { Object.assign(pane, {zoom: 1, dx: 0, dy: 0}); paint(pane); trace(pane); }

function hover(i, event) {
  if (i !== state.hover) { state.hover = i; traceAll(); fillTip(i); link.dataset.hover = i; }
  if (i >= 0 && event) {
    const x = Math.min(event.clientX + 16, window.innerWidth - tip.offsetWidth - 8), y = Math.min(event.clientY + 16, window.innerHeight - tip.offsetHeight - 8);
    Object.assign(tip.style, {left: `${Math.max(4, x)}px`, top: `${Math.max(4, y)}px`});
  }
}
function fillTip(i) {
  tip.style.display = i < 0 ? 'none' : 'flex';
  tip.replaceChildren();
  if (i >= 0) tip.append(...about(i, 56));
}
function thumb(i, pixels) {
  const sheet = state.data.sheet;
  if (!sheet || !state.sheet) return null;
  const canvas = make('canvas', 'thumb'), [w, h] = sheet.tile;
  canvas.width = w; canvas.height = h;
  Object.assign(canvas.style, {width: `${pixels}px`, height: `${pixels * h / w}px`, imageRendering: w <= 32 ? 'pixelated' : 'auto'});
  canvas.getContext('2d').drawImage(state.sheet, (i % sheet.columns) * w, Math.floor(i / sheet.columns) * h, w, h, 0, 0, w, h);
  return canvas;
}
function nameOf(i) { const d = state.data, label = d.label[i]; return label >= 0 ? d.names[label] : ''; }
function about(i, pixels) {
  const parts = [], shown = thumb(i, pixels), words = make('span', 'words');
  if (shown) parts.push(shown);
  if (nameOf(i)) words.append(make('b', '', nameOf(i)));
  if (state.data.texts) words.append(make('span', '', state.data.texts[i]));
  if (!nameOf(i) && !state.data.texts) words.append(make('b', '', `point ${i + 1}`));
  parts.push(words);
  return parts;
}
const LETTERS = 'ABCDEF';
function showDetail() {
  if (!state.data) return;
  const chosen = state.mask ? state.mask.reduce((a, b) => a + b, 0) : 0;
  Object.assign(link.dataset, {picked: state.picked, selected: chosen});
  detail.replaceChildren();
  if (state.picked >= 0) showPicked();
  else if (chosen) showSelected(chosen);
}
function showPicked() {
  const i = state.picked, near = neighbours(i), kept = state.data.sides.map((_, s) => keptOn(s)), head = make('div', 'head');
  head.append(...about(i, 44));
  const told = make('span', 'told');
  told.append(make('span', '', `Of its ${near.length} nearest in the original, kept near: `));
  state.data.sides.forEach((side, s) => told.append(make('b', `kept-${LETTERS[s].toLowerCase()}`, `${LETTERS[s]} ${kept[s].size}${s + 1 < state.data.sides.length ? ', ' : ''}`)));
  head.append(told, close());
  const row = make('ol', 'near');
  near.forEach((j) => {
    const item = make('li'), button = make('button', 'point'), shown = thumb(j, 30), letters = kept.map((set, s) => (set.has(j) ? LETTERS[s] : '')).join('');
    button.type = 'button';
    button.append(shown || make('span', 'tag', nameOf(j) || (state.data.texts ? state.data.texts[j].slice(0, 24) : `point ${j + 1}`)));
    button.append(make('i', letters ? '' : 'lost', letters || '–'));
    button.setAttribute('aria-label', `${nameOf(j) || (state.data.texts ? state.data.texts[j] : `point ${j + 1}`)}, ${letters ? `kept near on ${letters.split('').join(' and ')}` : 'kept near on none'}`);
    button.addEventListener('click', () => pick(j));
    button.addEventListener('pointerenter', (event) => hover(j, event));
    button.addEventListener('pointerleave', () => hover(-1));
    item.append(button);
    row.append(item);
  });
  detail.append(head, row);
}
function showSelected(chosen) {
  const tally = new Map();
  for (let i = 0; i < state.data.count; i++) if (state.mask[i] && nameOf(i)) tally.set(nameOf(i), (tally.get(nameOf(i)) || 0) + 1);
  const most = [...tally].sort((a, b) => b[1] - a[1]), head = make('div', 'head');
  head.append(make('b', '', `${chosen.toLocaleString('en')} of ${state.data.count.toLocaleString('en')} points selected`));
  if (most.length) head.append(make('span', 'told', most.slice(0, 8).map(([name, n]) => `${name}: ${n}`).join(', ') + (most.length > 8 ? ', ...' : '')));
  head.append(close());
  const row = make('div', 'near');
  if (state.data.sheet && state.sheet) for (let i = 0, shown = 0; i < state.data.count && shown < 24; i++) if (state.mask[i]) { row.append(thumb(i, 30)); shown++; }
  detail.append(head, row);
}
function close() {
  const button = make('button', 'clear', 'Clear');
  button.type = 'button';
  button.addEventListener('click', clear);
  return button;
}

function mark(look, shape) {
  const canvas = make('canvas');
  canvas.width = canvas.height = 24;
  Object.assign(canvas.style, {width: '12px', height: '12px'});
  const pen = canvas.getContext('2d');
  pen.fillStyle = look; outline(pen, shape, 12, 12, 9); pen.fill();
  return canvas;
}
function drawLegend() {
  legend.replaceChildren();
  const d = state.data, all = colors();
  if (d.byTrust) {
    legend.append(make('span', 'hint', 'own trust'));
    ['below 0.8', 'to 0.9', 'to 0.95', 'to 0.99', 'above'].forEach((name, i) => { const item = make('span', 'key'); item.append(mark(all.trust[i], 0), make('span', '', name)); legend.append(item); });
    return;
  }
  d.names.slice(0, d.most).forEach((name, i) => {
    const item = make('button', 'key');
    item.type = 'button';
    item.title = `Select ${name}`;
    item.append(mark(all.labels[i % all.labels.length], Math.floor(i / all.labels.length)), make('span', '', name));
    item.addEventListener('click', () => select((j) => d.label[j] === i));
    legend.append(item);
  });
  if (d.names.length > d.most) { const item = make('span', 'key'); item.append(mark(all.unknown, 0), make('span', '', `${d.names.length - d.most} more`)); legend.append(item); }
}

search.addEventListener('input', () => {
  const wanted = search.value.trim().toLowerCase(), d = state.data;
  if (!d) return;
  if (!wanted) { count.textContent = ''; select(() => false); return; }
  const labels = new Set(d.names.map((name, i) => [name.toLowerCase(), i]).filter(([name]) => (wanted.length < 2 ? name === wanted : name.includes(wanted))).map((pair) => pair[1]));
  const found = select((i) => labels.has(d.label[i]) || (d.low.length > 0 && d.low[i].includes(wanted)));
  count.textContent = found ? `${found.toLocaleString('en')} found` : 'nothing found';
});
search.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && state.mask) pick(state.mask.indexOf(1));
  if (event.key === 'Escape') clear();
});
link.querySelectorAll('[data-tool]').forEach((button) => button.addEventListener('click', (event) => {
  const touched = event.pointerType === 'touch', again = state.tool === button.dataset.tool;
  state.touch = touched ? !(again && state.touch) : state.touch;
  state.tool = button.dataset.tool;
  link.querySelectorAll('[data-tool]').forEach((other) => other.setAttribute('aria-pressed', String(other === button && (!touched || state.touch))));
  state.panes.forEach((pane) => { pane.over.style.cursor = state.tool === 'move' ? 'grab' : 'crosshair'; pane.over.style.touchAction = state.touch ? 'none' : 'pan-y'; });
}));
find('[data-reset]').addEventListener('click', () => { state.panes.forEach(reset); clear(); });
find('[data-grow]').addEventListener('click', (event) => {
  const large = event.currentTarget.getAttribute('aria-pressed') !== 'true';
  event.currentTarget.setAttribute('aria-pressed', String(large));
  state.large = large;
  grow();
});
function grow() { state.panes.forEach(({frame}) => { frame.style.maxHeight = state.large ? '76vh' : ''; frame.style.height = state.large ? '76vh' : ''; }); }

let waiting = 0;
if (right) {
  new MutationObserver(() => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => { attach(); if (state.large) grow(); });
  }).observe(right, {childList: true, subtree: true});
}
new MutationObserver(() => { if (state.data) { drawLegend(); paintAll(); traceAll(); } }).observe(document.body, {attributes: true, attributeFilter: ['class']});
load();
watch('value', load);
