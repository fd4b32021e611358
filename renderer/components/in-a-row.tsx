import { Fragment } from 'react'

/** Texts of others one after the other: in Arabic or Hebrew, each keeps to its own place. */
export const InARow = ({ texts }: { texts: string[] }) =>
  texts.map((text, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: two may be the same, and none moves
    <Fragment key={place}>
      {place === 0 ? null : ' · '}
      <bdi>{text}</bdi>
    </Fragment>
  ))
