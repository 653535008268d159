export const Json = ({ value, label = 'JSON' }: { value: unknown; label?: string }) => (
  <pre
    tabIndex={0}
    aria-label={label}
    role="region"
    className="max-h-[60vh] overflow-auto rounded-md border border-line bg-raised p-2 font-mono text-xs wrap-anywhere whitespace-pre-wrap"
  >
    {JSON.stringify(value, null, 2)}
  </pre>
);
