/** True if the value of a control differs from its initial one. Values that a page sets by itself are initial values. */
function hasChanged(control: Element): boolean {
  if (control instanceof HTMLTextAreaElement) return control.value !== control.defaultValue;
  if (!(control instanceof HTMLInputElement)) return false;
  if (control.type === 'file') return control.files !== null && control.files.length > 0;
  if (control.type === 'checkbox' || control.type === 'radio') return control.checked !== control.defaultChecked;
  return control.value !== control.defaultValue;
}

/** True if a person typed text, chose a file or checked a box in the forms of a container. */
export const hasEnteredValues = (container: HTMLElement | null): boolean =>
  container !== null && [...container.querySelectorAll('form input, form textarea')].some(hasChanged);
