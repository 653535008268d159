import { walkAllNodes, type Assignment, type Step } from '@pilothouse/contract';
import { revealSecrets, secretPlaceholder, secretNamesInSteps, type Clock, type Masker } from '@pilothouse/core';
import type { AttemptLink } from '@pilothouse/infra-link';

/** Milliseconds that the gateway has for a secret. */
const SECRET_MS = 10_000;
/** Origin of a secret that is not typed, only masked. */
const NOWHERE = 'null';

export interface SecretsOptions {
  readonly assignment: Pick<Assignment, 'secrets'>;
  readonly link: Pick<AttemptLink, 'request'>;
  readonly masker: Masker;
  readonly clock: Clock;
  /** Aborts when the attempt is to stop. */
  readonly signal: AbortSignal;
}

/** The secret inputs of a run: asked for at the moment of typing, masked from then on. */
export class SecretInputs {
  private readonly options: SecretsOptions;

  constructor(options: SecretsOptions) {
    this.options = options;
  }

  /** A text with its secrets, for the origin it is typed into. @throws as `AttemptLink.ask` */
  reveal(text: string, origin: string): Promise<string> {
    const { assignment, link, masker, clock, signal } = this.options;
    return revealSecrets(text, new Set(assignment.secrets), async (name) => {
      const deadline = clock.monotonic() + SECRET_MS;
      const { value } = await link.request('secret.request', { name, origin }, { signal, deadline });
      masker.add(value);
      return value;
    });
  }

  /** Masks what former attempts typed: it may be on the pages that this one sees. @throws as `AttemptLink.ask` */
  async maskUsedBefore({ steps, workflows }: Assignment['definition'], begun: readonly Step[]): Promise<void> {
    const { secrets } = this.options.assignment;
    // A called workflow has names of its own for them: then all count as typed.
    const calls = workflows !== undefined && [...walkAllNodes(steps)].some(({ node }) => node.action === 'call');
    await this.maskAll(calls ? secrets : secretNamesInSteps(begun, secrets));
  }

  /** Masks these from now on: what pages say goes to a model. @throws as `AttemptLink.ask` */
  async maskAll(names: readonly string[] = this.options.assignment.secrets): Promise<void> {
    for (const name of names) await this.reveal(secretPlaceholder(name), NOWHERE);
  }
}
