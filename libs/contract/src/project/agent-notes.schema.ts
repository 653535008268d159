import { z } from 'zod';
import { appIdSchema } from '../actions/desktop-actions.schema.ts';
import { MAX_AGENT_NOTE_CHARACTERS, MAX_AGENT_NOTES } from './agent-note-limits.ts';
import { hostPatternSchema } from './egress.schema.ts';

/* Notes of a project for agents, about applications and sites. */

/** A note about one application, or about the sites of one host pattern. */
export const agentNoteSchema = z
  .strictObject({
    app: appIdSchema.optional().describe('Id of an application, e.g. `mousepad`'),
    site: hostPatternSchema.optional().describe('Host, e.g. `*.example.com`'),
    text: z
      .string()
      .trim()
      .min(1)
      .max(MAX_AGENT_NOTE_CHARACTERS)
      .describe(
        'Text for the model. It sees the text while a window of the application, or a page of the site, is active',
      ),
  })
  .refine(({ app, site }) => (app === undefined) !== (site === undefined), { error: 'Give either `app` or `site`' })
  .meta({ id: 'AgentNote' });
export type AgentNote = z.infer<typeof agentNoteSchema>;

export const agentNotesSchema = z.array(agentNoteSchema).max(MAX_AGENT_NOTES);
