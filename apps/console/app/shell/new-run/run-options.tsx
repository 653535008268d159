import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';
import { Button, Field, Select } from '@pilothouse/ui-kit';
import type { Failure } from '../../api/api-client.server.ts';
import { RecordingFields } from '../../workflows/recording-fields.tsx';

export type Fleets = readonly { name: string; surface: SurfaceKind }[];
export type RunFailure = Failure | undefined;

/** Error message of a field. @param pointer JSON pointer of the field in the request */
export const errorOf = (failure: RunFailure, pointer: string): string | undefined =>
  failure?.fields?.find((field) => field.pointer === pointer)?.detail;

/** First error of a field or of a part of it, with the path of the part. */
export function errorBelow(failure: RunFailure, pointer: string): string | undefined {
  const error = failure?.fields?.find((field) => field.pointer === pointer || field.pointer.startsWith(`${pointer}/`));
  if (!error) return undefined;
  const part = error.pointer.slice(pointer.length);
  return part === '' ? error.detail : `${part}: ${error.detail}`;
}

/** Fleet and capture options of a new run. @param surface surface that the fleet must serve */
export const RunOptions = ({
  fleets,
  surface,
  failure,
}: {
  fleets: Fleets;
  surface: SurfaceKind;
  failure: RunFailure;
}) => {
  const matchingFleets = fleets.filter((fleet) => fleet.surface === surface);
  return (
    <>
      <Field
        label="Fleet"
        hint={matchingFleets.length === 0 ? `No fleet serves ${surface} runs. The run waits in the queue.` : undefined}
        error={errorOf(failure, '/fleet')}
      >
        {(controlProps) => (
          <Select {...controlProps} key={surface} name="fleet">
            <option value="">Default</option>
            {matchingFleets.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        )}
      </Field>
      <details>
        <summary className="w-fit text-sm font-medium">Recording</summary>
        <div className="mt-3">
          <RecordingFields />
        </div>
      </details>
    </>
  );
};

export const SubmitRow = ({
  intent,
  disabled = false,
  busy,
}: {
  intent: string;
  disabled?: boolean;
  busy: boolean;
}) => (
  <div className="flex justify-end">
    <Button type="submit" name="intent" value={intent} variant="primary" disabled={disabled || busy}>
      {busy ? 'Starting…' : 'Start run'}
    </Button>
  </div>
);
