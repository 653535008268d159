import type { ExportFormat, ExportObjective } from '@pilothouse/contract/learning/dataset-export.schema';
import { Button, Card, Field, Input, Notice, Select } from '@pilothouse/ui-kit';
import { useRef, useState } from 'react';
import { Form, useNavigation } from 'react-router';
import { CheckGroup } from '../check-group.tsx';
import { useInvalidFocus } from '../use-invalid-focus.ts';
import type { DatasetActionResult } from './dataset.actions.server.ts';
import { dialectLabels, exportFormatLabels, objectiveLabels, splitLabels } from './export-labels.ts';

const formats = Object.keys(exportFormatLabels) as ExportFormat[];
const objectives = Object.keys(objectiveLabels) as ExportObjective[];

/** Form that creates an export. @param answer answer to its last submission */
export function NewExportCard({ answer }: { answer: DatasetActionResult | undefined }) {
  const [format, setFormat] = useState<ExportFormat>('together');
  const isBusy = useNavigation().state !== 'idle';
  const form = useRef<HTMLFormElement>(null);
  const failure = answer?.failure;
  useInvalidFocus(form, failure);
  const errorOf = (field: string) => failure?.fields?.find(({ pointer }) => pointer.split('/')[1] === field)?.detail;
  const { isSftOnly } = exportFormatLabels[format];
  return (
    <Card title="New export">
      <Form ref={form} method="post" className="grid gap-4">
        {failure && !failure.fields?.length && <Notice tone="bad">{failure.message}</Notice>}
        <fieldset>
          <legend className="mb-1 text-sm font-medium">Format</legend>
          <div className="grid gap-2 sm:grid-cols-2 xl:grid-cols-4">
            {formats.map((name) => {
              const { label, text } = exportFormatLabels[name];
              return (
                <label
                  key={name}
                  className="flex items-start gap-2 rounded-md border border-line p-2 text-sm has-checked:border-primary"
                >
                  <input
                    type="radio"
                    name="format"
                    value={name}
                    checked={format === name}
                    onChange={() => setFormat(name)}
                    className="mt-0.5 size-4 shrink-0 accent-primary"
                  />
                  <span className="min-w-0">
                    <span className="font-medium">{label}</span>
                    <span className="block text-xs text-muted">{text}</span>
                  </span>
                </label>
              );
            })}
          </div>
        </fieldset>
        <div className="grid items-start gap-4 md:grid-cols-2">
          <Field
            label="Method"
            hint={isSftOnly ? `${exportFormatLabels[format].label} has supervised examples only.` : 'Tuning objective.'}
            error={errorOf('objective')}
          >
            {(controlProps) => (
              <Select {...controlProps} name="objective" defaultValue="sft">
                {objectives.map((objective) => (
                  <option key={objective} value={objective} disabled={isSftOnly && objective !== 'sft'}>
                    {objectiveLabels[objective].label}: {objectiveLabels[objective].text}
                  </option>
                ))}
              </Select>
            )}
          </Field>
          <Field label="Dialect" hint="Use the dialect of the model that you tune." error={errorOf('dialect')}>
            {(controlProps) => (
              <Select {...controlProps} name="dialect" defaultValue="aura">
                {Object.entries(dialectLabels).map(([dialect, label]) => (
                  <option key={dialect} value={dialect}>
                    {label}
                  </option>
                ))}
              </Select>
            )}
          </Field>
          <CheckGroup
            legend="Splits"
            name="splits"
            choices={splitLabels}
            defaultValues={Object.keys(splitLabels)}
            error={errorOf('splits')}
          />
          <CheckGroup
            legend="Screenshots"
            name="includeImages"
            choices={{ on: 'Include screenshots' }}
            defaultValues={['on']}
          />
          {format === 'gemini' && (
            <Field
              label="Folder of the screenshots"
              hint="Folder of Cloud Storage to which you copy the screenshots. Blank: screenshots are embedded."
              error={errorOf('imageBase')}
              className="md:col-span-2"
            >
              {(controlProps) => <Input {...controlProps} name="imageBase" placeholder="gs://bucket/screenshots" />}
            </Field>
          )}
        </div>
        <div className="flex flex-wrap items-center gap-3">
          <Button type="submit" name="intent" value="create-export" variant="primary" disabled={isBusy}>
            {isBusy ? 'Creating…' : 'Create export'}
          </Button>
          <span role="status" className="text-sm text-good">
            {answer?.created !== undefined && !isBusy && 'Export created. Its progress is shown above.'}
          </span>
        </div>
      </Form>
    </Card>
  );
}
