/** Thrown when a request cannot be answered as asked; `message` is a sentence for the visitor. */
export class HttpProblem extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'HttpProblem';
    this.status = status;
  }
}
