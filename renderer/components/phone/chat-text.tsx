import { piecesOf } from '../../model/whatsapp-text.ts'
import classes from './phone.module.css'

const TAGS = { plain: 'span', bold: 'strong', italic: 'em', strike: 's', mono: 'code' } as const

export const ChatText = ({ text }: { text: string }) => (
  <div className={classes.text} dir="auto">
    {piecesOf(text).map(({ at, text: piece, style }) => {
      const Tag = TAGS[style]
      return <Tag key={at}>{piece}</Tag>
    })}
  </div>
)
