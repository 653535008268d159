/** A thread that fails as the text says; returns other texts. */
export default function parse(text: string): { value: string } {
  if (text === 'forever') for (;;);
  if (text === 'memory') {
    const chunks: number[][] = [];
    for (;;) chunks.push(Array.from({ length: 1_000_000 }, Math.random));
  }
  return { value: text };
}
