import { z } from 'zod';
import { createUploadSchema, uploadViewSchema } from '../run/artifact.schema.ts';
import { defineRoute } from './route-definition.ts';

const tag = 'Files';
const signedUrlNote =
  'The signature in the query authorizes the request: no API key is needed. Use the URL unchanged. It expires.';
const params = z.object({ key: z.string().min(1).max(1024).describe('Path of the object') });

export const objectRoutes = {
  createUpload: defineRoute({
    method: 'POST',
    path: '/v1/uploads',
    tag,
    summary: 'Create an upload',
    description:
      'Send the file to `transfer` within an hour. Then use `id` as the value of a `file` input, or in the answer to a file chooser.',
    role: 'operator',
    body: createUploadSchema,
    audit: { usersOnly: true, body: ['name'] },
    responses: { 201: { description: 'The upload with its signed URL', schema: uploadViewSchema } },
  }),
  readObject: defineRoute({
    method: 'GET',
    path: '/v1/objects/{key*}',
    tag,
    summary: 'Download an object',
    description: signedUrlNote,
    role: 'public',
    params,
    responses: {
      200: { description: 'The object', types: { 'application/octet-stream': null } },
      206: { description: 'The requested range', types: { 'application/octet-stream': null } },
      304: { description: 'The object did not change' },
      416: { description: 'The range is outside of the object' },
    },
    errors: ['FORBIDDEN', 'NOT_FOUND', 'GONE'],
    seconds: null,
  }),
  headObject: defineRoute({
    method: 'HEAD',
    path: '/v1/objects/{key*}',
    tag,
    summary: 'Read the headers of an object',
    description: signedUrlNote,
    role: 'public',
    params,
    responses: { 200: { description: 'Size and type, in the headers' } },
    errors: ['FORBIDDEN', 'NOT_FOUND', 'GONE'],
  }),
  writeObject: defineRoute({
    method: 'PUT',
    path: '/v1/objects/{key*}',
    tag,
    summary: 'Upload an object',
    description: `${signedUrlNote} A second request to the same URL is rejected: a stored object is never replaced.`,
    role: 'public',
    params,
    body: 'stream',
    audit: 'nothing',
    responses: { 200: { description: 'The object is stored', headers: { ETag: 'Identifier of the content' } } },
    errors: ['FORBIDDEN', 'GONE', 'CONFLICT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'UPLOAD_FAILED'],
    seconds: null,
  }),
} as const;
