/** Delivery speeds; `price` in cents. */
export const SPEEDS = {
  standard: { title: 'Standard', hint: '3 to 5 working days', price: 0 },
  express: { title: 'Express', hint: 'Next working day', price: 1800 },
  berth: { title: 'To the berth', hint: 'By launch, at your chosen tide', price: 4500 },
} as const;

export type Speed = keyof typeof SPEEDS;

export function isSpeed(value: string): value is Speed {
  return Object.hasOwn(SPEEDS, value);
}
