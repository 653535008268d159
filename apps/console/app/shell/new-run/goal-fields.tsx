import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';
import { DEFAULT_SURFACE, surfaceTraits } from '@pilothouse/core/surface/surface-traits';
import { Field, Input, Select, TextArea } from '@pilothouse/ui-kit';
import { useState } from 'react';
import { budgetLimits, SCHEMA_FIELD } from './goal-form.ts';
import { errorBelow, errorOf, RunOptions, type Fleets, type RunFailure } from './run-options.tsx';

/** Goal, surface and start page or applications. */
export function GoalFields({ fleets, failure }: { fleets: Fleets; failure: RunFailure }) {
  const [surface, setSurface] = useState<SurfaceKind>(DEFAULT_SURFACE);
  return (
    <>
      <Field label="Goal" hint="The task for the agent, and the result to return" error={errorOf(failure, '/goal')}>
        {(controlProps) => (
          <TextArea
            {...controlProps}
            name="goal"
            rows={4}
            required
            maxLength={20_000}
            placeholder="Find the opening hours of the library and return them"
          />
        )}
      </Field>
      <div className="grid gap-4 md:grid-cols-[10rem_minmax(0,1fr)]">
        <Field label="Surface">
          {(controlProps) => (
            <Select
              {...controlProps}
              name="surface"
              value={surface}
              onChange={({ target }) => setSurface(target.value as SurfaceKind)}
            >
              {Object.entries(surfaceTraits).map(([kind, { label }]) => (
                <option key={kind} value={kind}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </Field>
        {surfaceTraits[surface].isPaged ? (
          <Field label="Start page (optional)" error={errorOf(failure, '/url')}>
            {(controlProps) => (
              <Input {...controlProps} key="url" name="url" type="url" placeholder="https://example.com" />
            )}
          </Field>
        ) : (
          <Field
            label="Applications (optional)"
            hint="Application ids, separated by commas. The run opens the first one."
            error={errorOf(failure, '/apps')}
          >
            {(controlProps) => <Input {...controlProps} key="apps" name="apps" placeholder="org.xfce.mousepad" />}
          </Field>
        )}
      </div>
      <Field
        label="Output schema (optional)"
        hint="JSON Schema of the answer. If blank, the answer is text."
        error={errorBelow(failure, `/${SCHEMA_FIELD}`)}
      >
        {(controlProps) => (
          <TextArea
            {...controlProps}
            name={SCHEMA_FIELD}
            rows={3}
            spellCheck={false}
            className="font-mono text-xs"
            placeholder='{ "type": "object", "properties": { "hours": { "type": "string" } } }'
          />
        )}
      </Field>
      <BudgetFields failure={failure} />
      <RunOptions fleets={fleets} surface={surface} failure={failure} />
    </>
  );
}

/** Limits of the run. */
const BudgetFields = ({ failure }: { failure: RunFailure }) => (
  <fieldset className="grid min-w-0 gap-1">
    <legend className="text-sm font-medium">Budget (optional)</legend>
    <p className="text-xs text-muted">
      The run fails at the first limit that it reaches. Blank: the limit of the project.
    </p>
    <div className="grid grid-cols-2 items-start gap-3 md:grid-cols-4">
      {budgetLimits.map(({ field, label }) => (
        <Field key={field} label={label} error={errorOf(failure, `/${field}`)}>
          {(controlProps) => <Input {...controlProps} name={field} inputMode="decimal" />}
        </Field>
      ))}
    </div>
  </fieldset>
);
