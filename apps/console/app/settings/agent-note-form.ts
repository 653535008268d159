import { MAX_AGENT_NOTE_CHARACTERS } from '@pilothouse/contract/project/agent-note-limits';
import type { AgentNote } from '@pilothouse/contract/project/agent-notes.schema';
import { FormProblem } from '../shared/form-problem.ts';

/** Name of the field with the number of notes. */
export const noteCountField = 'notes.count';

/** Name of a field of a note. `kind` is `app` or `site`, `subject` its id or host. */
export const noteField = (index: number, key: 'kind' | 'subject' | 'text'): string => `notes.${index}.${key}`;

/** Notes of the form. @param text returns the text of a field @throws FormProblem */
export const notesOf = (text: (field: string) => string): AgentNote[] =>
  Array.from({ length: Number(text(noteCountField)) || 0 }, (_, index) => {
    const subject = text(noteField(index, 'subject')).trim();
    const note = text(noteField(index, 'text')).trim();
    const isSite = text(noteField(index, 'kind')) === 'site';
    if (subject === '')
      throw new FormProblem(
        noteField(index, 'subject'),
        isSite ? 'Enter a host or remove the note.' : 'Enter an application or remove the note.',
      );
    if (note === '') throw new FormProblem(noteField(index, 'text'), 'Enter a text or remove the note.');
    if (note.length > MAX_AGENT_NOTE_CHARACTERS)
      throw new FormProblem(
        noteField(index, 'text'),
        `Shorten the text to ${MAX_AGENT_NOTE_CHARACTERS} characters; it has ${note.length}.`,
      );
    return { ...(isSite ? { site: subject } : { app: subject }), text: note };
  });

/** Form field of an API error pointer such as `/agents/notes/0/site`. */
export function noteFieldOf(pointer: string): string | null {
  const [, part, list, index, key] = pointer.split('/');
  if (part !== 'agents' || list !== 'notes' || index === undefined) return null;
  return noteField(Number(index), key === 'text' ? 'text' : 'subject');
}
