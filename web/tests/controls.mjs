// Finds the controls of a page, in the page: what can be clicked, typed into or chosen from, and what each is called.
// Enumerated from the DOM, so that a new control is covered without an edit here.

const kSelector = 'button, input:not([type=hidden]), select, textarea, summary, a[href], [role=button], [role=slider], [role=tab], [role=switch], [role=menuitem], [role=checkbox], [tabindex="0"][role]:not([role=group]):not([role=region]):not([role=application]):not([role=tabpanel]):not([role=img])';

// [{id, tag, type, name, pressed, ...}] of those that can be seen and used now; each gets the attribute data-found=id.
export const controlsOf = (page) => page.evaluate((selector) => {
  const modal = document.querySelector('dialog[open]');
  const label = (element) => {
    const by = element.getAttribute('aria-labelledby');
    const text = (node) => (node?.textContent ?? '').trim();
    return (element.getAttribute('aria-label')?.trim()
      || (by && by.split(/\s+/).map((id) => text(document.getElementById(id))).join(' ').trim())
      || [...(element.labels ?? [])].map(text).join(' ').trim()
      || (['BUTTON', 'A', 'SUMMARY'].includes(element.tagName) || element.getAttribute('role') ? text(element) : '')
      || element.getAttribute('title')?.trim() || '').replace(/\s+/g, ' ');
  };
  const seen = new Map();
  const found = [];
  for (const element of document.querySelectorAll(selector)) {
    if (modal && !modal.contains(element)) continue;
    const box = element.getBoundingClientRect();
    if (!element.checkVisibility({checkOpacity: true, checkVisibilityCSS: true}) || box.width < 1 || box.height < 1) continue;
    const name = label(element);
    const kind = `${element.tagName.toLowerCase()}${element.type ? `:${element.type}` : ''} ${name}`;
    const count = (seen.get(kind) ?? 0) + 1;
    seen.set(kind, count);
    const id = `${kind} ${count}`;
    element.dataset.found = id;
    found.push({id, name, tag: element.tagName.toLowerCase(), type: element.getAttribute('type') ?? '', role: element.getAttribute('role') ?? '',
      disabled: element.disabled === true || element.getAttribute('aria-disabled') === 'true', html: element.outerHTML.slice(0, 160),
      width: box.width, height: box.height, chosen: element.getAttribute('aria-pressed') === 'true' || element.getAttribute('aria-selected') === 'true',
      alike: element.parentElement.children.length > 12 ? element.parentElement.className : '', noEffect: element.dataset.noEffect ?? ''});
  }
  return found;
}, kSelector);

// Acts on a control as a user does, such that something should change. Returns false when it is not there any more.
// With the mouse where it is, not by the helpers of the browser's driver: they wait for pictures, which software draws slowly.
export async function act(page, control) {
  const found = await page.evaluate((id) => {
    const element = document.querySelector(`[data-found="${CSS.escape(id)}"]`);
    if (!element || element.disabled || !element.checkVisibility({checkOpacity: true, checkVisibilityCSS: true})) return null;
    element.scrollIntoView({block: 'nearest', inline: 'nearest'});
    const box = element.getBoundingClientRect();
    const at = [box.x + box.width / 2, box.y + box.height / 2];
    const top = document.elementFromPoint(...at);
    const other = element.tagName === 'SELECT' ? [...element.options].findIndex((option) => !option.selected && !option.disabled) : -1;
    if (!top || !(element.contains(top) || top.contains(element) || element.labels?.[0]?.contains(top))) return {covered: top?.outerHTML.slice(0, 120) ?? 'the edge'};
    return {at, other, value: element.value, atEnd: Number(element.value) > 0.05 * Number(element.min) + 0.95 * Number(element.max)};
  }, control.id);
  if (!found) return false;
  if (found.covered) throw new Error(`${control.id} lies under ${found.covered}`);
  const element = page.locator(`[data-found="${control.id.replace(/["\\]/g, '\\$&')}"]`).first();
  if (control.tag === 'select') {
    if (found.other < 0) return false;
    await element.selectOption({index: found.other});
  } else if (control.type === 'range' || control.role === 'slider') {
    await element.focus();
    for (let i = 0; i < 3; ++i) await page.keyboard.press(found.atEnd ? 'ArrowLeft' : 'ArrowRight');
  } else if (control.tag === 'textarea' || (control.tag === 'input' && !['button', 'checkbox', 'radio'].includes(control.type))) {
    const number = Number(found.value);
    await element.fill(Number.isFinite(number) && control.type !== 'search' ? String(number ? 1.5 * number : 1) : 'crane', {force: true});
    await page.keyboard.press('Enter');
  } else {
    await page.mouse.click(...found.at);
  }
  return true;
}

// What is chosen already cannot be chosen again: chooses its neighbour. Returns whether there is one.
export const chooseAnother = (page, control) => page.evaluate((id) => {
  const element = document.querySelector(`[data-found="${CSS.escape(id)}"]`);
  const other = element?.parentElement.querySelector('[aria-selected=false], [aria-pressed=false]');
  other?.click();
  return Boolean(other);
}, control.id);

// Puts `signature()` into the page: all that a control might change, except the picture; that is the page's state, and its
// document without the digits, which run.
export const installSignature = (page) => page.evaluate(() => {
  window.signature = () => {
    const {structure, status, mode, selection, theme, view, problem, camera} = {...window.catena.store, ...window.catena.state()};
    const state = status && [status.time, status.playing, status.speed, status.live, status.kinematic, status.arrows];
    const forces = structure?.picture.forces.map((force) => [force.on, force.values]);
    const fields = [...document.querySelectorAll('input, select, textarea')].map((field) => [field.value, field.checked]);
    const dialogs = [...document.querySelectorAll('dialog')].map((dialog) => dialog.open);
    const text = document.body.outerHTML.replace(/data-found="[^"]*"/g, '').replace(/[−-]?\d[\d.,e+−-]*/g, '#');
    return JSON.stringify([structure?.revision, structure?.title, state, mode, selection, theme, view, problem?.message, forces, fields, dialogs, camera, text]);
  };
});
