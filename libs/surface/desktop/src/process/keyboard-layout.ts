/** Layout and variant of `us(dvorak)`. The variant may be empty. */
export function splitLayout(name: string): { readonly layout: string; readonly variant: string } {
  const bracket = name.indexOf('(');
  return bracket < 0
    ? { layout: name, variant: '' }
    : { layout: name.slice(0, bracket), variant: name.slice(bracket + 1, -1) };
}
