import { z } from 'zod';
import { timestampSchema, jsonSchema, type Json } from '../primitives.schema.ts';

/** A message to the renderer. The official JSON Schemas of each version define its shape. */
export type A2uiMessage = Readonly<Record<string, Json>>;

const catalogIds = z.object({ supportedCatalogIds: z.array(z.string().max(500)).max(100) });

/** Components that the client can render, in the format of any version. */
export const a2uiCapabilitiesSchema = z
  .union([z.object({ 'v0.9': catalogIds }), z.object({ 'v0.9.1': catalogIds }), catalogIds])
  .meta({
    id: 'A2uiClientCapabilities',
    description: 'Capabilities of the renderer, in the form of A2UI 0.9, 0.9.1 or 0.8',
  });
export type A2uiCapabilities = z.infer<typeof a2uiCapabilitiesSchema>;

const userActionSchema = z.object({
  name: z.string().max(100).describe('`answer`, `complete` or `cancel`'),
  surfaceId: z.string().max(200).describe('Surface of the run'),
  sourceComponentId: z.string().max(200),
  timestamp: timestampSchema,
  context: z.record(z.string(), jsonSchema).describe('For `answer`: `question`, `choice`, and optional `text`'),
});
export type A2uiAction = z.infer<typeof userActionSchema>;

const clientErrorSchema = z.record(z.string(), jsonSchema).describe('Error of the renderer');

const clientVersionSchema = z.enum(['v0.9', 'v0.9.1']);

/** A message from the renderer: an action of a person (`action` from 0.9 on, `userAction` in 0.8) or an error. */
export const a2uiClientMessageSchema = z
  .union([
    z.strictObject({ version: clientVersionSchema, action: userActionSchema }),
    z.strictObject({ userAction: userActionSchema }),
    z.strictObject({ version: clientVersionSchema, error: clientErrorSchema }),
    z.strictObject({ error: clientErrorSchema }),
  ])
  .meta({ id: 'A2uiClientMessage', description: 'A message of A2UI from a client, of version 0.9, 0.9.1 or 0.8' });
export type A2uiClientMessage = z.infer<typeof a2uiClientMessageSchema>;
