import type { OrderInput, UploadedFile } from './order-input.ts';
import type { Product } from './products.ts';
import { SPEEDS, type Speed } from './speeds.ts';

export interface Order extends OrderInput {
  id: string;
  placedAt: string;
  owner: string;
  product: Product;
  file: UploadedFile | null;
  /** Goods and delivery together, in cents. */
  total: number;
}

/** What an order costs in cents: goods plus delivery. */
export function orderTotal(product: Product, quantity: number, speed: Speed): number {
  return product.price * quantity + SPEEDS[speed].price;
}

const FIRST_NUMBER = 1001;

/**
 * Orders of one site instance. Every call of `place` is a new order, also for the same input twice: the site must
 * show a doubled submission, not hide it.
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
