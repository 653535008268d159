import { turnRecordSchema, type TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';
import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import { artifactLimits } from '@pilothouse/contract/run/artifact.schema';

/** Maximum size of a stored record, in bytes. */
export const MAX_TURN_RECORD_BYTES = artifactLimits.turn;

/** A record, or a sentence about why it cannot be used. */
export type ParsedTurnRecord = { readonly record: TurnRecord } | { readonly problem: string };

/** Parses the stored JSON of a record. */
export function parseTurnRecord(json: string): ParsedTurnRecord {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return { problem: 'The record of the turn is damaged: it is not JSON.' };
  }
  const parsed = turnRecordSchema.safeParse(value);
  if (parsed.success) return { record: parsed.data };
  const [issue] = parsed.error.issues;
  return {
    problem: `The record of the turn is damaged: /${issue?.path.join('/') ?? ''}: ${issue?.message ?? 'invalid'}`,
  };
}

/** The observation of a record in the form of a live one, for functions that read observations. */
export const observationOf = ({ observation: { url, title, viewport, elements, text } }: TurnRecord): Observation => ({
  url,
  title,
  document: 1,
  loading: false,
  viewport,
  scroll: { above: 0, below: 0 },
  focused: elements.find(({ state }) => state.focused)?.index ?? null,
  elements,
  opaqueRegions: [],
  ...(text !== '' && { text: { text, length: text.length } }),
});
