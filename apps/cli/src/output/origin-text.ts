import type { RunOrigin } from '@pilothouse/contract/run/run-origin.schema';
import { clean } from './sanitize-text.ts';

/** Text of an origin, without the actor. */
function sourceText(origin: RunOrigin): string {
  switch (origin.kind) {
    case 'api':
      return 'API';
    case 'console':
      return 'console';
    case 'schedule':
      return `schedule ${origin.schedule}`;
    case 'webhook':
      return `webhook ${origin.webhook}`;
    case 'batch':
      return `batch ${origin.batch}`;
    case 'parent':
      return `run ${origin.run}`;
    case 'replay':
    case 'retry':
      return `${origin.kind} of ${origin.run}`;
  }
}

/** Origin of a run with its actor: `retry of 0197f3c2-…, ada@example.com`. */
export const originText = (origin: RunOrigin): string =>
  [sourceText(origin), ...(origin.actor ? [clean(origin.actor.name)] : [])].join(', ');
