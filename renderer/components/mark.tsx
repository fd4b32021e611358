interface MarkProps {
  size?: number
}

/** Kurir's logo. It is shown beside the name, so its alternative text is empty. */
export const Mark = ({ size = 24 }: MarkProps) => <img src="/mark.svg" width={size} height={size} alt="" />
