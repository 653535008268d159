import { fieldErrors } from '@pilothouse/contract/errors/field-errors';
import { MAX_IMPORT_CHARS, chromeRecordingSchema } from '@pilothouse/contract/workflow/chrome-recording.schema';
import { importRecording } from '@pilothouse/core/import-export/chrome-recorder';
import type { ActionFunctionArgs } from 'react-router';
import { textOf } from '../api/form-fields.server.ts';
import { yamlOf } from '../workflows/workflow-yaml.server.ts';

/** An imported file: its text for the editor, and notes on skipped parts of a recording. Nothing is stored. */
export interface ImportedFile {
  text: string;
  notes: readonly string[];
  /** Reason why the import failed. */
  error?: string;
}

/** Imports a workflow file, or a recording exported from the Recorder panel of Chrome DevTools as JSON. */
export async function action({ request }: ActionFunctionArgs): Promise<ImportedFile> {
  const text = textOf(await request.formData(), 'text');
  if (text.length > MAX_IMPORT_CHARS) {
    const error = `The file has ${text.length} characters; the maximum is ${MAX_IMPORT_CHARS}. Import a shorter file.`;
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
    const { workflow, notes, missing } = importRecording(recording.data);
    return { text: yamlOf(workflow), notes: [...missing.map((reason) => `Not imported: ${reason}`), ...notes] };
  }
  const isWorkflow = typeof value === 'object' && value !== null && 'name' in value;
  if (isWorkflow) return { text: yamlOf(value), notes: [] };
  const [first] = fieldErrors(recording.error);
  return {
    text: '',
    notes: [],
    error: `Not a Chrome DevTools recording: ${first?.pointer ?? ''} ${first?.detail ?? ''}`,
  };
}
