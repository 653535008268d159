import type { ModelsView, ProjectModels } from '@pilothouse/contract';
import { Cell, Field, Select, Table } from '@pilothouse/ui-kit';
import { modelRoleRows, dialectNames, modelField, numbers } from './model-form.ts';
import { TableCellInput } from '../shared/table-cell-input.tsx';

export interface ModelFieldsProps {
  models: ProjectModels | null;
  /** Models of the installation; null: unknown. */
  installation: ModelsView | null;
  disabled: boolean;
  /** Error message of a field. */
  errorOf: (field: string) => string | undefined;
}

/** Models by purpose, one row each. */
export function ModelFields({ models, installation, disabled, errorOf }: ModelFieldsProps) {
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-3">
      <p className="text-xs text-muted">
        The first model of a row is asked, the next ones when it is away. What is left empty is as the installation has
        it{installation && installation.use.length > 0 ? `: ${installation.use.join(', ')}` : ''}. Keys of providers are
        not here.
      </p>
      {installation && installation.endpoints.length > 0 && (
        <p className="text-xs text-muted">
          A model is named <span className="font-mono">endpoint/model</span>. Endpoints:{' '}
          <span className="font-mono">{installation.endpoints.map(({ name }) => name).join(', ')}</span>.
        </p>
      )}
      <Table
        label="Which models answer what"
        isFirstFixed
        head={['Asked for', 'Models', ...numbers.map(({ name }) => name), 'Actions come']}
      >
        {modelRoleRows.map(({ role, name, description }) => {
          const choice = models?.[role];
          const useField = modelField(role, 'use');
          return (
            <tr key={role}>
              <Cell className="whitespace-nowrap">
                <span title={description}>{name}</span>
              </Cell>
              <Cell className="min-w-72 py-1">
                <TableCellInput
                  label={`Models: ${name}`}
                  field={useField}
                  value={choice?.use.join(', ')}
                  disabled={disabled}
                  error={errorOf(useField)}
                  placeholder={role === 'default' ? 'gemini/gemini-2.5-flash' : undefined}
                />
              </Cell>
              {numbers.map(({ key, name: number }) => {
                const field = modelField(role, key);
                return (
                  <Cell key={key} className="min-w-28 py-1">
                    <TableCellInput
                      label={`${number}: ${name}`}
                      field={field}
                      value={choice?.[key]?.toString()}
                      disabled={disabled}
                      error={errorOf(field)}
                    />
                  </Cell>
                );
              })}
              <Cell className="min-w-40 py-1">
                <Select
                  aria-label={`Actions come: ${name}`}
                  name={modelField(role, 'dialect')}
                  defaultValue={choice?.dialect ?? ''}
                  disabled={disabled}
                  className="text-xs"
                >
                  <option value="">As is known of them</option>
                  {Object.entries(dialectNames).map(([dialect, dialectName]) => (
                    <option key={dialect} value={dialect}>
                      {dialectName}
                    </option>
                  ))}
                </Select>
              </Cell>
            </tr>
          );
        })}
      </Table>
      <Field label="Prompts and answers" hint="As files of the run, secrets masked" className="max-w-80">
        {(controlProps) => (
          <Select {...controlProps} name="models.trace" defaultValue={models?.trace ?? ''} disabled={disabled}>
            <option value="">Not kept, unless a workflow says so</option>
            <option value="full">Kept</option>
          </Select>
        )}
      </Field>
    </div>
  );
}
