import type { TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';
import type { Observation } from '@pilothouse/contract/observation/observation.schema';

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
