/** A part of a form that makes no sense: its field, and how to mend it. */
export class FormProblem extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}
