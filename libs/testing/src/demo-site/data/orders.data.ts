import { createHash } from 'node:crypto';
import { findProduct } from './catalogue.data.ts';
import type { Product } from './products.data.ts';
import { SPEEDS, type Speed, isSpeed } from './speeds.data.ts';

export interface OrderInput {
  sku: string;
  quantity: number;
  /** ISO calendar date, e.g. `2027-03-14`. */
  date: string;
  speed: Speed;
  notes: string;
  reference: string;
}

/** File in the ledger without its content; `size` in bytes, `sha256` in hex. */
export interface UploadedFile {
  name: string;
  size: number;
  sha256: string;
}

/** Text fields of the order form as submitted; shown again after an error. */
export type OrderFields = Record<(typeof FIELDS)[number], string>;

export type OrderErrors = Partial<Record<(typeof FIELDS)[number], string>>;

export type OrderCheck = { ok: true; input: OrderInput; product: Product } | { ok: false; errors: OrderErrors };

const FIELDS = ['sku', 'quantity', 'date', 'speed', 'notes', 'reference', 'terms'] as const;
const MAX_QUANTITY = 500;
const MAX_NOTES_CHARS = 500;
const MAX_REFERENCE_CHARS = 60;

export function readOrderFields(form: FormData): OrderFields {
  const entries = FIELDS.map((name) => {
    const value = form.get(name);
    return [name, typeof value === 'string' ? value : ''];
  });
  return Object.fromEntries(entries) as OrderFields;
}

/** Validates all fields, so that the form shows every error at its field. @param now limit for delivery dates */
export function checkOrder(fields: OrderFields, now: Date): OrderCheck {
  const product = findProduct(fields.sku);
  const quantity = Number(fields.quantity);
  const speed = fields.speed;
  const errors: OrderErrors = {};
  if (!product) errors.sku = 'Choose a product.';
  if (!/^\d+$/.test(fields.quantity.trim()) || quantity < 1 || quantity > MAX_QUANTITY) {
    errors.quantity = `Enter a whole number from 1 to ${MAX_QUANTITY}.`;
  }
  if (!isCalendarDate(fields.date)) errors.date = 'Enter a delivery date.';
  else if (fields.date <= now.toISOString().slice(0, 10)) errors.date = 'The delivery date must be in the future.';
  if (!isSpeed(speed)) errors.speed = 'Choose how fast we deliver.';
  if (fields.notes.length > MAX_NOTES_CHARS) errors.notes = `Keep the notes under ${MAX_NOTES_CHARS} characters.`;
  if (fields.reference.length > MAX_REFERENCE_CHARS)
    errors.reference = `Keep it under ${MAX_REFERENCE_CHARS} characters.`;
  if (fields.terms !== 'accepted') errors.terms = 'Accept the terms to place the order.';
  if (!product || !isSpeed(speed) || Object.keys(errors).length > 0) return { ok: false, errors };
  const { date, notes, reference } = fields;
  return { ok: true, product, input: { sku: product.sku, quantity, date, speed, notes, reference } };
}

/** Returns the uploaded file of a field; null if none was selected. */
export async function readUpload(form: FormData, field: string): Promise<UploadedFile | null> {
  const value = form.get(field);
  if (!(value instanceof File) || (value.name === '' && value.size === 0)) return null;
  const content = Buffer.from(await value.arrayBuffer());
  return { name: value.name, size: content.length, sha256: createHash('sha256').update(content).digest('hex') };
}

function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  // 31 February parses as 3 March, so the date must survive the round trip.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

export interface Order extends OrderInput {
  id: string;
  placedAt: string;
  owner: string;
  product: Product;
  file: UploadedFile | null;
  /** Goods and delivery together, in cents. */
  total: number;
}

/** Price of an order in cents: goods plus delivery. */
export function orderTotal(product: Product, quantity: number, speed: Speed): number {
  return product.price * quantity + SPEEDS[speed].price;
}

const FIRST_NUMBER = 1001;

/**
 * Orders of one site instance. Every call of `place` creates an order, because duplicate
 * submissions must stay visible.
 */
export class Orders {
  readonly #orders: Order[] = [];
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  place(owner: string, product: Product, input: OrderInput, file: UploadedFile | null): Order {
    const order: Order = {
      ...input,
      id: `HS-${FIRST_NUMBER + this.#orders.length}`,
      placedAt: this.#now().toISOString(),
      owner,
      product,
      file,
      total: orderTotal(product, input.quantity, input.speed),
    };
    this.#orders.push(order);
    return order;
  }

  find(owner: string, id: string): Order | undefined {
    return this.#orders.find((order) => order.id === id && order.owner === owner);
  }

  /** Newest first. */
  list(owner: string): Order[] {
    return this.#orders.filter((order) => order.owner === owner).reverse();
  }
}

/** RFC 4180: CRLF lines, quotes where needed. Cells that a spreadsheet would run as a formula get an apostrophe. */
export function csv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
