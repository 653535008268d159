import { MASK } from '@pilothouse/core/secret/secret-masker';
import type { AccessibleRef } from '../accessibility/accessibility-bus.ts';
import { ariaRoleOf, isPasswordField, textFieldRoles } from '../accessibility/roles.ts';
import type { AccessibleNode } from '../accessibility/accessible-node.ts';
import type { ScreenImage } from '../x/screen-capture.ts';
import type { Rectangle } from '../x/rectangle.ts';
import type { WindowFacts } from '../x/window-manager.ts';
import type { SecretInput, WindowTree } from '../session/session-protocol.ts';

/** Shorter secrets occur in texts by chance: only a text that equals one is masked. */
const MIN_PART_CHARACTERS = 4;

/** Pixels around an object that are covered with it. */
const MARGIN_PX = 2;

/** Height in pixels of a title bar. */
const TITLE_BAR_PX = 40;

/**
 * Hides secrets in everything that leaves the session: texts of objects, titles, the clipboard, and screenshots. It knows each secret before it
 * is typed, and the field that receives it.
 */
export class SecretRedactor {
  /** The longest first, so that no part of one is left. */
  #texts: readonly string[] = [];
  readonly #fields = new Set<string>();
  readonly #apps = new Set<string>();
  #isCopyable = false;

  add({ texts, field, app, isHidden }: SecretInput): void {
    const known = new Set([...this.#texts, ...texts].filter((text) => text.trim() !== ''));
    this.#texts = [...known].sort((first, second) => second.length - first.length);
    this.#fields.add(keyOf(field));
    this.#apps.add(app);
    this.#isCopyable ||= !isHidden;
  }

  get isEmpty(): boolean {
    return this.#fields.size === 0;
  }

  /** The text with secrets replaced. A cut text may end with the beginning of one. */
  text(text: string): string {
    let masked = text;
    for (const secret of this.#texts) {
      if (secret.length < MIN_PART_CHARACTERS) masked = masked.trim() === secret ? MASK : masked;
      else masked = maskEnd(masked.replaceAll(secret, MASK), secret);
    }
    return masked;
  }

  /** The text of a field. A field that received a secret shows nothing of its text: the program may have changed it. */
  fieldText(ref: AccessibleRef, text: string): string {
    return text !== '' && this.#isField(ref) ? MASK : this.text(text);
  }

  #isField(ref: AccessibleRef): boolean {
    return this.#fields.has(keyOf(ref));
  }

  window<Facts extends WindowFacts | null>(window: Facts): Facts {
    return window === null ? window : { ...window, title: this.text(window.title) };
  }

  tree(tree: WindowTree): WindowTree {
    return this.isEmpty
      ? tree
      : {
          ...tree,
          window: this.window(tree.window),
          nodes: tree.nodes.map((node) => this.#node(node)),
          ...(tree.page && { page: { ...tree.page, url: this.text(tree.page.url) } }),
        };
  }

  #node(node: AccessibleNode): AccessibleNode {
    const { name, label, description, value } = node;
    return {
      ...node,
      name: this.text(name),
      ...(label !== undefined && { label: this.text(label) }),
      ...(description !== undefined && { description: this.text(description) }),
      ...(value !== undefined && { value: this.fieldText(node, value) }),
      ...(node.page && { page: maskTexts(node.page, (part) => this.text(part)) }),
    };
  }

  /** Parts of the screen that may show a secret in this window. A window that cannot be read is covered as a whole. */
  secretBounds({ window, nodes, incomplete, isAccessible }: WindowTree): Rectangle[] {
    if (!window) return [];
    const mayShow = this.#isCopyable || this.#apps.has(window.appId);
    if (mayShow && (!isAccessible || incomplete !== null)) return [window.bounds];
    const { x, y, width } = window.bounds;
    const titleBar = { x, y: y - TITLE_BAR_PX, width, height: TITLE_BAR_PX };
    return [
      ...(this.text(window.title) === window.title ? [] : [titleBar]),
      ...nodes.filter((node) => this.#showsSecret(node)).map(({ extents }) => extents),
    ];
  }

  #showsSecret(node: AccessibleNode): boolean {
    const { name, label = '', role, value = '' } = node;
    if (isPasswordField(node) || this.#isField(node)) return true;
    // A field whose text was not read in time.
    if (this.#isCopyable && node.value === undefined && textFieldRoles.has(ariaRoleOf(role) ?? '')) return true;
    return [name, label, value].some((text) => this.text(text) !== text);
  }
}

/** Facts of a page with fixed values. A secret may equal one of them. */
const FIXED_FACTS: ReadonlySet<string> = new Set(['role', 'state', 'tags']);

/** Masks every text in facts of a page. */
function maskTexts<Value>(value: Value, mask: (text: string) => string): Value {
  if (typeof value === 'string') return mask(value) as Value;
  if (Array.isArray(value)) return value.map((part: unknown) => maskTexts(part, mask)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, FIXED_FACTS.has(key) ? part : maskTexts(part as unknown, mask)]),
  ) as Value;
}

const keyOf = ({ bus, path }: AccessibleRef): string => `${bus} ${path}`;

/** Masks the beginning of a secret at the end of a text. */
function maskEnd(text: string, secret: string): string {
  for (let length = Math.min(secret.length - 1, text.length); length >= MIN_PART_CHARACTERS; length -= 1)
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + MASK;
  return text;
}

/** Paints areas of an image black. */
export function redactAreas({ width, height, data }: ScreenImage, areas: readonly Rectangle[]): void {
  const pixels = new Uint32Array(data.buffer, data.byteOffset, width * height);
  for (const area of areas) {
    const left = Math.max(0, area.x - MARGIN_PX);
    const right = Math.min(width, area.x + area.width + MARGIN_PX);
    if (right <= left) continue;
    const bottom = Math.min(height, area.y + area.height + MARGIN_PX);
    for (let y = Math.max(0, area.y - MARGIN_PX); y < bottom; y += 1)
      pixels.fill(0xff000000, y * width + left, y * width + right);
  }
}
