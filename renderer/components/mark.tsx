interface MarkProps {
  size?: number
}

/** Kurir's sign, shown beside its name. */
export const Mark = ({ size = 24 }: MarkProps) => <img src="/mark.svg" width={size} height={size} alt="" />
