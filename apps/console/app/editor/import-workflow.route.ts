import { fieldErrors, MAX_IMPORT_CHARS, chromeRecordingSchema } from '@pilothouse/contract';
import { importRecording } from '@pilothouse/core';
import type { ActionFunctionArgs } from 'react-router';
import { textOf } from '../api/form-fields.server.ts';
import { yamlOf } from '../workflows/workflow-yaml.server.ts';

/** What a file is as a workflow: a text for the editor, and what of a recording is not in it. Nothing is kept. */
export interface ImportedFile {
  text: string;
  notes: readonly string[];
  /** Why there is none. */
  error?: string;
}

/** Reads a workflow file, or a recording of Chrome DevTools (panel Recorder, exported as JSON). */
export async function action({ request }: ActionFunctionArgs): Promise<ImportedFile> {
  const text = textOf(await request.formData(), 'text');
  if (text.length > MAX_IMPORT_CHARS) {
    const error = `The file has ${text.length} characters, at most ${MAX_IMPORT_CHARS} are read: make it shorter`;
    return { text: '', notes: [], error };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { text, notes: [] };
  }
  const recording = chromeRecordingSchema.safeParse(value);
  if (recording.success) {
    const { workflow, notes } = importRecording(recording.data);
    return { text: yamlOf(workflow), notes };
  }
  const isWorkflow = typeof value === 'object' && value !== null && 'name' in value;
  if (isWorkflow) return { text: yamlOf(value), notes: [] };
  const [first] = fieldErrors(recording.error);
  return { text: '', notes: [], error: `It is no recording: ${first?.pointer ?? ''} ${first?.detail ?? ''}` };
}
