import {
  startCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import type { EditorView } from '@codemirror/view';
import type { JsonSchema } from '@pilothouse/core/workflow/json-schema';
import { fetchJson } from '../../api/fetch-json.ts';
import { suggest, type Suggestion } from './suggestions.ts';

let schema: JsonSchema | null = null;

const RESPONSE_TIMEOUT_MS = 20_000;

/**
 * Loads the JSON Schema of workflow files, once. After a failure the next editor tries again.
 * @returns error message; null: completion is available
 */
export async function loadWorkflowSchema(): Promise<string | null> {
  if (schema) return null;
  const options = { server: 'the console', timeoutMs: RESPONSE_TIMEOUT_MS };
  const { response, content, error } = await fetchJson('/workflows/schema', options);
  if (error !== null) return error;
  if (!response.ok) return `Request failed (HTTP ${response.status}).`;
  schema = content as JsonSchema;
  return null;
}

const types = { key: 'property', value: 'enum', variable: 'variable' } as const;

/** Completes keys and values of a workflow file. It is synchronous: CodeMirror drops late results while a person types. */
export function completeWorkflow({ state, pos, explicit }: CompletionContext): CompletionResult | null {
  const result = schema && suggest(schema, state.doc.toString(), pos);
  if (!result) return null;
  const { start, end, items } = result;
  const word = state.sliceDoc(start, pos);
  // The list does not open by itself after each Enter, or after a complete word.
  if (
    !explicit &&
    (items.some(({ label }) => label === word) || (word === '' && isAtLineStart(state.sliceDoc(0, pos))))
  )
    return null;
  return { from: start, to: end, options: items.map((item, index) => optionOf(item, items.length - index)) };
}

const isAtLineStart = (text: string) => /(^|\n)\s*$/.test(text);

function optionOf({ label, kind, text, help }: Suggestion, boost: number): Completion {
  return {
    label,
    type: types[kind],
    boost,
    ...(help !== undefined && { info: help }),
    apply(view: EditorView, _: Completion, start: number, end: number) {
      view.dispatch({
        changes: { from: start, to: end, insert: text },
        selection: { anchor: start + text.length },
        userEvent: 'input.complete',
      });
      // Suggests the value.
      if (kind === 'key') startCompletion(view);
    },
  };
}
