import { IconFile, IconMusic, IconVideo } from '@tabler/icons-react'
import { useState } from 'react'
import { fileName, mediaKind } from '../../model/media-kind.ts'
import classes from './phone.module.css'

const ICONS = { image: IconFile, video: IconVideo, audio: IconMusic, document: IconFile }

/** The file of a message: an image is shown, anything else by its name. */
export function Media({ address }: { address: string }) {
  const [broken, setBroken] = useState(false)
  const kind = mediaKind(address)
  const name = fileName(address)
  if (kind === 'image' && !broken) {
    return <img className={classes.media} src={address} alt={name} onError={() => setBroken(true)} />
  }
  const Icon = ICONS[kind]
  return (
    <div className={classes.document}>
      <Icon size={20} style={{ flex: 'none' }} aria-hidden="true" /> {name}
    </div>
  )
}
