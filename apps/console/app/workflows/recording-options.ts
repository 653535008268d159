import { captureSchema, type RunCapture } from '@pilothouse/contract/run/capture.schema';

const part = (form: FormData, name: string) => {
  const value = form.get(`capture.${name}`);
  return typeof value === 'string' && value !== 'none' ? { [name]: value } : {};
};

/** Capture options of a form. @param previous options of the retried run: its `trace` and `turns` are kept */
export const captureOf = (form: FormData, previous?: RunCapture): RunCapture =>
  captureSchema.parse({
    ...(previous?.trace !== undefined && { trace: previous.trace }),
    ...(previous?.turns !== undefined && { turns: previous.turns }),
    screenshots: form.get('capture.screenshots') ?? undefined,
    ...part(form, 'video'),
    ...part(form, 'har'),
    ...(form.get('capture.console') === 'on' && { console: true }),
  });
