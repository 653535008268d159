/** Invalid form field, with a message that explains how to correct it. */
export class FormProblem extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}
