import type { Assignment } from '@pilothouse/contract/worker/to-worker.messages';
import type { Step } from '@pilothouse/contract/workflow/step.schema';
import { walkAllNodes } from '@pilothouse/contract/workflow/workflow-node.schema';
import { revealSecrets, secretPlaceholder, secretNamesInSteps } from '@pilothouse/core/workflow/secret-placeholders';
import type { AttemptBase } from './attempt-base.ts';

/** Milliseconds for the response of the gateway. */
const SECRET_MS = 10_000;
/** Origin for requests whose secret is masked but not typed. */
const NO_ORIGIN = 'null';

/** Secret inputs of a run. A value is requested when it is typed, and masked from then on. */
export class SecretInputs {
  /** True once a value was requested. */
  hasRevealed = false;
  private readonly base: Pick<AttemptBase, 'assignment' | 'link' | 'masker' | 'clock' | 'cancellation'>;

  constructor(base: SecretInputs['base']) {
    this.base = base;
  }

  /** Replaces the placeholders of a text for the origin that receives it. @throws as `AttemptLink.request` */
  reveal(text: string, origin: string): Promise<string> {
    const { assignment, link, masker, clock, cancellation } = this.base;
    const { signal } = cancellation;
    return revealSecrets(text, new Set(assignment.secrets), async (name) => {
      this.hasRevealed = true;
      const deadline = clock.monotonic() + SECRET_MS;
      const { value, former = [] } = await link.request('secret.request', { name, origin }, { signal, deadline });
      for (const text of [value, ...former]) masker.add(text);
      return value;
    });
  }

  /** Masks secrets that earlier attempts typed, because restored pages may show them. @throws as `AttemptLink.request` */
  async maskUsedBefore({ steps, workflows }: Assignment['definition'], startedSteps: readonly Step[]): Promise<void> {
    const { secrets } = this.base.assignment;
    // A called workflow names its own inputs, so all secrets count as typed.
    const hasCalls = workflows !== undefined && [...walkAllNodes(steps)].some(({ node }) => node.action === 'call');
    await this.maskAll(hasCalls ? secrets : secretNamesInSteps(startedSteps, secrets));
  }

  /** Masks secrets before texts of pages are sent to a model. @throws as `AttemptLink.request` */
  async maskAll(names: readonly string[] = this.base.assignment.secrets): Promise<void> {
    for (const name of names) await this.reveal(secretPlaceholder(name), NO_ORIGIN);
  }
}
