import { Fragment } from 'react'

/** Foreign texts in one line. Arabic or Hebrew in one text does not reorder the others. */
export const InARow = ({ texts }: { texts: string[] }) =>
  texts.map((text, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: two may be the same, and none moves
    <Fragment key={place}>
      {place === 0 ? null : ' · '}
      <bdi>{text}</bdi>
    </Fragment>
  ))
