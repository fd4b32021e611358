interface MarkProps {
  size?: number
}

/** Kurir's sign: an envelope on its way. */
export const Mark = ({ size = 24 }: MarkProps) => (
  <svg width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
    <rect width="16" height="16" rx="4" fill="var(--mantine-primary-color-filled)" />
    <path
      d="M6 5h7.2l-1.4 6.4H4.6zM6 5l3 3.4L13.2 5M2.2 6.2h2M1.8 8.2h2M1.4 10.2h2"
      fill="none"
      stroke="#fff"
      strokeWidth="1.1"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  </svg>
)
