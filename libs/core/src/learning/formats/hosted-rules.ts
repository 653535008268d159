import type { Json } from '@pilothouse/contract/primitives.schema';
import { messageProfiles } from './openai.format.ts';

/* Published rules of providers for whole lines, as their upload checks apply them. */

type Fields = Readonly<Record<string, Json | undefined>>;

const fieldsOf = (value: Json | undefined): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

/** Problem of a line of Vertex AI tuning; null: it is valid. */
export function geminiLineProblem(line: Json): string | null {
  const { systemInstruction, contents, completions, ...others } = fieldsOf(line);
  const unknown = Object.keys(others).find((field) => field !== 'tools');
  if (unknown !== undefined) return `Unknown field ${unknown}`;
  const turns = listOf(contents).map(fieldsOf);
  if (turns.length === 0) return 'contents is empty';
  if (systemInstruction !== undefined && listOf(fieldsOf(systemInstruction)['parts']).length === 0)
    return 'systemInstruction has no parts';
  const roles = turns.map(({ role }) => role);
  if (!roles.every((role, index) => role === (index % 2 === 0 ? 'user' : 'model')))
    return 'contents must alternate between user and model';
  const isPreference = completions !== undefined;
  if ((roles.at(-1) === 'model') === isPreference)
    return isPreference ? 'contents must end with the user' : 'contents must end with the model';
  const parts = turns.flatMap((turn) => listOf(turn['parts']).map(fieldsOf));
  if (turns.some((turn) => listOf(turn['parts']).length === 0)) return 'A turn has no parts';
  const images = parts.filter((part) => part['fileData'] !== undefined || part['inlineData'] !== undefined);
  if (images.length > 30) return `${images.length} images; at most 30 are allowed`;
  if (isPreference && images.length > 0) return 'Preference tuning takes text only';
  const scores = listOf(completions).map((completion) => fieldsOf(completion)['score']);
  if (isPreference && scores.slice().sort().join() !== '0,1')
    return 'completions needs one of score 1 and one of score 0';
  const uri = images.map((part) => fieldsOf(part['fileData'])['fileUri']).find((fileUri) => fileUri !== undefined);
  return uri === undefined || String(uri).startsWith('gs://') ? null : 'fileUri must begin with gs://';
}

/** Characters of base64 for the largest image. */
const base64Chars = (bytes: number) => Math.ceil(bytes / 3) * 4;

const DATA_URL = /^data:image\/(?:jpeg|png|webp);base64,[A-Za-z0-9+/]{4}/;

/** Problem of a line of Together or Fireworks; null: it is valid. */
export function messagesLineProblem(line: Json, provider: keyof typeof messageProfiles): string | null {
  const fields = fieldsOf(line);
  const isPreference = fields['input'] !== undefined;
  const prompt = listOf(isPreference ? fieldsOf(fields['input'])['messages'] : fields['messages']);
  const answers = isPreference ? [fields['preferred_output'], fields['non_preferred_output']].map(listOf) : [];
  if (isPreference && !answers.every((answer) => answer.length === 1 && fieldsOf(answer[0])['role'] === 'assistant'))
    return 'preferred_output and non_preferred_output need one message of the assistant each';
  const messages = prompt.map(fieldsOf);
  const last = messages.at(-1)?.['role'];
  if (last !== (isPreference ? 'user' : 'assistant')) return `The last message is of ${String(last)}`;
  const system = messages.findIndex(({ role }) => role === 'system');
  if (system > 0) return 'A system message must be the first one';
  return imagesProblem(messages, provider);
}

function imagesProblem(messages: readonly Fields[], provider: keyof typeof messageProfiles): string | null {
  const { maxImages, maxImageBytes } = messageProfiles[provider];
  let images = 0;
  for (const { role, content } of messages) {
    const parts = listOf(content).map(fieldsOf);
    if (parts.length === 0 && (typeof content !== 'string' || content === ''))
      return `A message of ${String(role)} is empty`;
    for (const { type, image_url: image } of parts) {
      if (type !== 'image_url') continue;
      if (role !== 'user') return 'Only messages of the user may have images';
      const url = fieldsOf(image)['url'];
      if (typeof url !== 'string' || !DATA_URL.test(url)) return 'An image must be base64 with its media type';
      if (url.length > base64Chars(maxImageBytes) + 40) return 'An image is too large';
      images += 1;
    }
  }
  return images > maxImages ? `${images} images; at most ${maxImages} are allowed` : null;
}
