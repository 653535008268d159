/** HTTP error; `message` is shown to the user. */
export class HttpProblem extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'HttpProblem';
    this.status = status;
  }
}
