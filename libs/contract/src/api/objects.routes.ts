import { z } from 'zod';
import { createUploadSchema, uploadViewSchema } from '../run/artifact.schema.ts';
import { defineRoute } from './route-definition.ts';

const tag = 'Files';
const signedUrlNote =
  'The signature in the query is the authorisation: no key is asked for. Take the URL as it was given; it expires.';
const params = z.object({ key: z.string().min(1).max(1024).describe('Path of the object') });

export const objectRoutes = {
  createUpload: defineRoute({
    method: 'POST',
    path: '/v1/uploads',
    tag,
    summary: 'Announce a file for an input',
    description:
      'Send the file as `transfer` says, within the hour; then give `id` as the value of an input of type `file`, or to a file chooser.',
    role: 'operator',
    body: createUploadSchema,
    audit: { usersOnly: true, body: ['name'] },
    responses: { 201: { description: 'Where to send the file', schema: uploadViewSchema } },
  }),
  readObject: defineRoute({
    method: 'GET',
    path: '/v1/objects/{key*}',
    tag,
    summary: 'Fetch an object by a signed URL',
    description: signedUrlNote,
    role: 'public',
    params,
    responses: {
      200: { description: 'The object', types: { 'application/octet-stream': null } },
      206: { description: 'The part that `Range` asks for', types: { 'application/octet-stream': null } },
      304: { description: 'The object is as `If-None-Match` says' },
      416: { description: 'The range lies outside of the object' },
    },
    errors: ['FORBIDDEN', 'NOT_FOUND', 'GONE'],
    seconds: null,
  }),
  headObject: defineRoute({
    method: 'HEAD',
    path: '/v1/objects/{key*}',
    tag,
    summary: 'Look at an object by a signed URL',
    description: signedUrlNote,
    role: 'public',
    params,
    responses: { 200: { description: 'Its size and type, in the headers' } },
    errors: ['FORBIDDEN', 'NOT_FOUND', 'GONE'],
  }),
  writeObject: defineRoute({
    method: 'PUT',
    path: '/v1/objects/{key*}',
    tag,
    summary: 'Send an object by a signed URL, once',
    description: `${signedUrlNote} A second request to the same URL is refused: what is stored is never replaced.`,
    role: 'public',
    params,
    body: 'stream',
    audit: 'nothing',
    responses: { 200: { description: 'The object is stored', headers: { ETag: 'Names this content' } } },
    errors: ['FORBIDDEN', 'GONE', 'CONFLICT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'UPLOAD_FAILED'],
    seconds: null,
  }),
} as const;
