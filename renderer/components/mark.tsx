interface MarkProps {
  size?: number
}

/** Kurir's sign; the name stands beside it. */
export const Mark = ({ size = 24 }: MarkProps) => <img src="/mark.svg" width={size} height={size} alt="" />
