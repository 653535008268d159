/// <reference lib="dom" />
import type { DomTree } from './dom-tree.script.ts';

/** What an element is to somebody who uses the page. */
export function ariaRoles({ plain }: Pick<DomTree, 'plain'>) {
  const split = (words: string) => new Set(words.split(' '));
  /* The widget roles of ARIA 1.2 that take input; a grid's cells do when they can have the focus, or listen. */
  const widgets = split(
    'button checkbox combobox link menuitem menuitemcheckbox menuitemradio option radio searchbox slider spinbutton switch tab textbox treeitem scrollbar',
  );
  const fromContent = split(
    'button checkbox link menuitem menuitemcheckbox menuitemradio option radio switch tab treeitem clickable focusable draggable heading cell gridcell columnheader rowheader row tooltip',
  );
  const known = split(
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
    const given = plain(element).getAttribute('role');
    if (!given) return null;
    for (const one of given.toLowerCase().split(/\s+/)) if (widgets.has(one) || known.has(one)) return one;
    return null;
  };

  const editing = (element: Element): boolean => {
    const given = plain(element).getAttribute('contenteditable');
    return given !== null && given.toLowerCase() !== 'false';
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
    if (editing(element)) return 'textbox';
    return tags[tag] ?? 'generic';
  };

  const natives = split('button input select textarea summary');

  /**
   * The role of what takes input by itself, without a script that listens: native controls, ARIA widgets, what can be edited, what
   * the page lets one tab to, what says `onclick`, what can be dragged. Else null.
   */
  const widget = (element: Element): string | null => {
    const own = plain(element);
    const tag = own.localName;
    const said = explicit(element);
    if (tag === 'input' && (element as HTMLInputElement).type === 'hidden') return null;
    if (natives.has(tag)) {
      if (tag === 'summary' && element.parentElement?.localName !== 'details') return null;
      return said && widgets.has(said) ? said : implicit(element);
    }
    if ((tag === 'a' || tag === 'area') && own.hasAttribute('href')) return said && widgets.has(said) ? said : 'link';
    if (said && widgets.has(said)) return said;
    if (!own.hasAttributes()) return null;
    if (editing(element)) return said === null || known.has(said) ? 'textbox' : said;
    if ((tag === 'video' || tag === 'audio') && own.hasAttribute('controls')) return tag;
    if (own.hasAttribute('onclick') || own.hasAttribute('onmousedown') || own.hasAttribute('onpointerdown'))
      return said ?? 'clickable';
    if (own.getAttribute('draggable') === 'true') return said ?? 'draggable';
    const tab = own.getAttribute('tabindex');
    if (tab !== null && parseInt(tab, 10) >= 0 && !quiet.has(said ?? '')) return said ?? 'focusable';
    return null;
  };
  /* Of what can have the focus only to be scrolled, or to be read aloud. */
  const quiet = split(
    'dialog alertdialog alert status log region main document article tabpanel group listbox menu menubar tree grid treegrid table tablist toolbar radiogroup heading navigation form',
  );

  /** The role as the data has it. */
  const roleOf = (element: Element): string => {
    const said = explicit(element);
    return said && said !== 'none' && said !== 'presentation' ? said : implicit(element);
  };

  return { widgets, fromContent, explicit, widget, roleOf };
}

export type AriaRoles = ReturnType<typeof ariaRoles>;
