import { Input } from '@pilothouse/ui-kit';

export interface TableCellInputProps {
  /** Accessible name: row and column. */
  label: string;
  field: string;
  value: string | undefined;
  disabled: boolean;
  /** Error message. */
  error: string | undefined;
  placeholder?: string | undefined;
}

/** Input in a table cell, labelled by its row and column. */
export const TableCellInput = ({ label, field, value = '', disabled, error, placeholder }: TableCellInputProps) => (
  <>
    <Input
      aria-label={label}
      aria-invalid={error ? true : undefined}
      aria-describedby={error ? `${field}-about` : undefined}
      name={field}
      defaultValue={value}
      disabled={disabled}
      placeholder={placeholder}
      className="font-mono text-xs"
    />
    {error && (
      <p id={`${field}-about`} role="alert" className="mt-1 text-xs text-bad">
        {error}
      </p>
    )}
  </>
);
