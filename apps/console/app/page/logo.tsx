/** The logo, a ship's wheel. */
export const Logo = ({ className }: { className?: string }) => (
  <svg viewBox="0 0 32 32" className={className} aria-hidden="true">
    <rect width="32" height="32" rx="7" fill="#150A35" />
    <g fill="none" stroke="#A577FF" strokeWidth="2.4" strokeLinecap="round">
      <circle cx="16" cy="16" r="6.4" />
      <path d="M16 5v4.6M16 22.4V27M5 16h4.6M22.4 16H27M8.2 8.2l3.3 3.3M20.5 20.5l3.3 3.3M8.2 23.8l3.3-3.3M20.5 11.5l3.3-3.3" />
    </g>
  </svg>
);
