import { create } from 'qrcode'
import { useMemo } from 'react'

const QUIET_ZONE = 4
/** Least width of the code without its quiet zone, in pixels. */
const SMALLEST = 280

interface QrCodeProps {
  text: string
  label: string
}

/** A QR code, on white in both themes. Modules are whole pixels, so that edges stay sharp. */
export function QrCode({ text, label }: QrCodeProps) {
  const { path, size } = useMemo(() => draw(text), [text])
  const pixels = Math.ceil(SMALLEST / (size - 2 * QUIET_ZONE)) * size
  return (
    <svg
      role="img"
      aria-label={label}
      width={pixels}
      height={pixels}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      style={{ borderRadius: 8, flex: 'none', maxWidth: '100%', height: 'auto' }}
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}

function draw(text: string): { path: string; size: number } {
  const { modules } = create(text, { errorCorrectionLevel: 'L' })
  let path = ''
  for (let row = 0; row < modules.size; row++) {
    for (let column = 0; column < modules.size; column++) {
      if (modules.get(row, column)) path += `M${column + QUIET_ZONE} ${row + QUIET_ZONE}h1v1h-1z`
    }
  }
  return { path, size: modules.size + 2 * QUIET_ZONE }
}
