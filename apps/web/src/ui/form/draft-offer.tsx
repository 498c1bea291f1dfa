import Button from '@mui/material/Button'
import { Moment } from '../table/moment.tsx'
import { Banner } from './banner.tsx'

interface DraftOfferProps {
  /** The moment of the last key, as ISO text. */
  typedAt: string
  onResume: () => void
  onDiscard: () => void
}

/** Something was typed here before and never saved: the way back to it, or away from it. */
export const DraftOffer = ({ typedAt, onResume, onDiscard }: DraftOfferProps) => (
  <Banner
    type="info"
    actions={
      <>
        <Button variant="text" onClick={onResume}>
          Resume editing
        </Button>
        <Button variant="text" onClick={onDiscard}>
          Discard
        </Button>
      </>
    }
  >
    You typed something here on <Moment at={typedAt} /> and did not save it.
  </Banner>
)
