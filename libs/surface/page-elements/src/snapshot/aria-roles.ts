/// <reference lib="dom" />
import { plain } from './native-properties.ts';

const wordSet = (words: string) => new Set(words.split(' '));
// Widget roles of ARIA 1.2 that accept input. Grid cells accept it if they are focusable or have a listener.
const widgets = wordSet(
  'button checkbox combobox link menuitem menuitemcheckbox menuitemradio option radio searchbox slider spinbutton switch tab textbox treeitem scrollbar',
);
const fromContent = wordSet(
  'button checkbox link menuitem menuitemcheckbox menuitemradio option radio switch tab treeitem clickable focusable draggable heading cell gridcell columnheader rowheader row tooltip',
);
const nonWidgetRoles = wordSet(
  'alert alertdialog application article banner blockquote caption cell code columnheader complementary contentinfo definition dialog directory document feed figure form grid gridcell group heading img image list listbox listitem log main marquee math menu menubar meter navigation none note paragraph presentation progressbar radiogroup region row rowgroup rowheader search separator status table tablist tabpanel term time timer toolbar tooltip tree treegrid generic',
);
const inputs: Record<string, string> = {
  button: 'button',
  submit: 'button',
  reset: 'button',
  image: 'button',
  checkbox: 'checkbox',
  radio: 'radio',
  range: 'slider',
  number: 'spinbutton',
  search: 'searchbox',
  file: 'file',
  color: 'color',
  date: 'date',
  time: 'time',
  month: 'month',
  week: 'week',
  'datetime-local': 'datetime',
};
const tags: Record<string, string> = {
  button: 'button',
  summary: 'button',
  textarea: 'textbox',
  h1: 'heading',
  h2: 'heading',
  h3: 'heading',
  h4: 'heading',
  h5: 'heading',
  h6: 'heading',
  img: 'image',
  li: 'listitem',
  p: 'paragraph',
  tr: 'row',
  td: 'cell',
  th: 'columnheader',
  caption: 'caption',
  progress: 'progressbar',
  meter: 'meter',
  output: 'status',
  dialog: 'dialog',
  canvas: 'canvas',
  iframe: 'frame',
  frame: 'frame',
  label: 'label',
  legend: 'legend',
  blockquote: 'blockquote',
  pre: 'code',
  video: 'video',
  audio: 'audio',
  embed: 'embedded',
  object: 'embedded',
};

const explicit = (element: Element): string | null => {
  const attribute = plain(element).getAttribute('role');
  if (!attribute) return null;
  for (const word of attribute.toLowerCase().split(/\s+/))
    if (widgets.has(word) || nonWidgetRoles.has(word)) return word;
  return null;
};

const isEditable = (element: Element): boolean => {
  const attribute = plain(element).getAttribute('contenteditable');
  return attribute !== null && attribute.toLowerCase() !== 'false';
};

const implicit = (element: Element): string => {
  const tag = plain(element).localName;
  if (tag === 'a' || tag === 'area') return element.hasAttribute('href') ? 'link' : 'generic';
  if (tag === 'input') {
    const { type, list } = element as HTMLInputElement;
    const role = inputs[type] ?? 'textbox';
    return list && (role === 'textbox' || role === 'searchbox') ? 'combobox' : role;
  }
  if (tag === 'select') {
    const { multiple, size } = element as HTMLSelectElement;
    return multiple || size > 1 ? 'listbox' : 'combobox';
  }
  if (isEditable(element)) return 'textbox';
  return tags[tag] ?? 'generic';
};

const nativeControls = wordSet('button input select textarea summary');

/**
 * Returns the role of an element that accepts input without a script listener: native controls, ARIA widgets,
 * editable, focusable or draggable elements, and elements with `onclick`. Otherwise null.
 */
const widget = (element: Element): string | null => {
  const native = plain(element);
  const tag = native.localName;
  const explicitRole = explicit(element);
  const widgetRole = explicitRole !== null && widgets.has(explicitRole) ? explicitRole : null;
  if (tag === 'input' && (element as HTMLInputElement).type === 'hidden') return null;
  if (tag === 'summary' && element.parentElement?.localName !== 'details') return null;
  if (nativeControls.has(tag)) return widgetRole ?? implicit(element);
  if (isLink(native, tag)) return widgetRole ?? 'link';
  if (widgetRole !== null) return widgetRole;
  return native.hasAttributes() ? attributeWidget(element, explicitRole) : null;
};

const isLink = (native: Element, tag: string): boolean =>
  (tag === 'a' || tag === 'area') && native.hasAttribute('href');

/** Returns the role of an element that its attributes make interactive, otherwise null. */
const attributeWidget = (element: Element, explicitRole: string | null): string | null => {
  const native = plain(element);
  const tag = native.localName;
  if (isEditable(element)) return 'textbox';
  if ((tag === 'video' || tag === 'audio') && native.hasAttribute('controls')) return tag;
  if (pressHandlers.some((handler) => native.hasAttribute(handler))) return explicitRole ?? 'clickable';
  if (native.getAttribute('draggable') === 'true') return explicitRole ?? 'draggable';
  return isFocusable(native) && !nonInteractiveFocusable.has(explicitRole ?? '') ? (explicitRole ?? 'focusable') : null;
};
const pressHandlers = ['onclick', 'onmousedown', 'onpointerdown'];

const isFocusable = (native: Element): boolean => {
  const tabIndex = native.getAttribute('tabindex');
  return tabIndex !== null && parseInt(tabIndex, 10) >= 0;
};
// Roles that are focusable only for scrolling or for screen readers.
const nonInteractiveFocusable = wordSet(
  'dialog alertdialog alert status log region main document article tabpanel group listbox menu menubar tree grid treegrid table tablist toolbar radiogroup heading navigation form',
);

/** Returns the role that is reported. */
const roleOf = (element: Element): string => {
  const explicitRole = explicit(element);
  return explicitRole && explicitRole !== 'none' && explicitRole !== 'presentation' ? explicitRole : implicit(element);
};

/** Determines the roles of elements. */
export const ariaRoles = { widgets, fromContent, explicit, widget, roleOf };

export type AriaRoles = typeof ariaRoles;
