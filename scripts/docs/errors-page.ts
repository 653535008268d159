/** Generates docs/reference/errors.md from the error catalog. */
import { errorCodes, errorDefinition, type ErrorCode, type StepRetry } from '@pilothouse/contract/errors/error-codes';
import { type DocsPage, page, table } from './docs-page.ts';

/** Sections of the page: each begins with this code, in catalog order. */
const sections: Partial<Record<ErrorCode, string>> = {
  VALIDATION_FAILED: 'Requests',
  LEASE_LOST: 'Runs',
  TARGET_NOT_FOUND: 'Steps',
  GOAL_FAILED: 'Agents',
  MODEL_NOT_CONFIGURED: 'Models',
  SURFACE_LOST: 'Browsers, desktops and profiles',
  PROTOCOL_INVALID: 'Workers',
};

const INTRO = `Every error has a code. Programs decide by the code and by \`retry\`, never by the message.

A request that fails returns \`application/problem+json\` (RFC 9457):

\`\`\`json
{
  "type": "urn:pilothouse:error:validation-failed",
  "title": "The request is not valid",
  "status": 400,
  "detail": "The body is not valid at /priority: must be a number, not a string",
  "code": "VALIDATION_FAILED",
  "retry": "no",
  "errors": [{ "pointer": "/priority", "detail": "must be a number, not a string" }]
}
\`\`\`

A run that fails has the same \`code\` and \`retry\` in its \`error\`.

| \`retry\` | meaning |
| --- | --- |
| \`no\` | The request or run ended with this error. |
| \`same-request\` | Send the same request again after the seconds in \`Retry-After\`. |
| \`new-worker\` | Pilothouse puts the run back into the queue for another worker. |

The column "step retry" says whether \`retry\` of a step applies. \`yes\`: unless \`retry.on\` excludes the code. \`if listed\`: only if \`retry.on\` lists it.`;

const stepRetryTexts: Readonly<Record<StepRetry, string>> = { default: 'yes', beforeInput: 'yes', listed: 'if listed' };

function row(code: ErrorCode): string[] {
  const { http, retry, title, stepRetry, help } = errorDefinition(code);
  return [`\`${code}\``, String(http), `\`${retry}\``, stepRetry ? stepRetryTexts[stepRetry] : '', `${title}.`, help];
}

/** All error codes with their meaning and what to do. */
export const errorsPage: DocsPage = {
  path: 'docs/reference/errors.md',
  render: () => {
    const groups: { title: string; rows: string[][] }[] = [];
    for (const code of errorCodes) {
      const title = sections[code];
      if (title !== undefined) groups.push({ title, rows: [] });
      groups.at(-1)?.rows.push(row(code));
    }
    const head = ['code', 'HTTP', 'retry', 'step retry', 'meaning', 'what to do'];
    return page('# Errors', INTRO, ...groups.flatMap(({ title, rows }) => [`## ${title}`, table(head, rows)]));
  },
};
