import type { Json } from '@pilothouse/contract';
import { storable, storableText } from './storable.ts';

const HALF = '\uD83D';

describe('what PostgreSQL keeps', () => {
  it('is the same value where nothing has to be replaced', () => {
    const value: Json = { text: 'Grüße 👋', list: [1, null, { deep: ['…'] }], none: null };
    expect(storable(value)).toBe(value);
  });

  it('has neither NUL nor half a pair, in texts or names, however deep', () => {
    const value: Json = { [`a\0${HALF}`]: [{ text: `b\0` }, HALF, 7], plain: 'c' };
    expect(storable(value)).toEqual({ 'a\uFFFD\uFFFD': [{ text: 'b\uFFFD' }, '\uFFFD', 7], plain: 'c' });
    expect(value).toEqual({ [`a\0${HALF}`]: [{ text: `b\0` }, HALF, 7], plain: 'c' });
    expect(storableText(`x${HALF}\0y`)).toBe('x\uFFFD\uFFFDy');
  });
});
