import Button from '@mui/material/Button'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import { useId, useState } from 'react'
import { formatTimestamp } from '../../lib/formats.ts'
import { Dialog } from '../dialog.tsx'
import { useZone } from '../timestamp.tsx'
import { Banner } from './banner.tsx'
import { SidesTable, SideText } from './conflict-dialog.tsx'
import type { RecordFormState } from './use-record-form.ts'

type Drafts = RecordFormState['draft']

/** 'started 10:14 EST', with the date unless it is today. */
const startedAt = (iso: string, zone: string) => {
  const started = formatTimestamp(iso, zone)
  const [day, time] = started.text.split(' ')
  const [today] = formatTimestamp(new Date().toISOString(), zone).text.split(' ')
  return `started ${day === today ? time : started.text} ${started.zone}`
}

/** More would push the form out of view. */
const maxShown = 2

interface DraftOffersProps {
  draft: Drafts
  /** Chosen files: no draft holds them. */
  files?: readonly File[]
}

/** Unsaved drafts of this form, each with buttons to resume or discard it; many are folded into one banner that opens the list. */
export const DraftOffers = ({ draft: { offers, resume, discardOffer, doubt }, files = [] }: DraftOffersProps) => {
  const zone = useZone()
  const [isListOpen, setListOpen] = useState(false)
  const isFolded = offers.length > maxShown
  return (
    <>
      {isFolded && (
        <Banner
          type="info"
          actions={
            <Button variant="text" aria-expanded={isListOpen} onClick={() => setListOpen(!isListOpen)}>
              {isListOpen ? 'Hide drafts' : 'Show drafts'}
            </Button>
          }
        >
          Not saved: {offers.length} drafts
        </Banner>
      )}
      {(isFolded && !isListOpen ? [] : offers).map(({ draft, title }) => (
        <Banner
          key={draft.id}
          type="info"
          actions={
            <>
              <Button variant="text" aria-label={`Resume editing ${title}`} onClick={() => resume(draft)}>
                Resume editing
              </Button>
              <Button variant="text" aria-label={`Discard ${title}`} onClick={() => discardOffer(draft.id)}>
                Discard
              </Button>
            </>
          }
        >
          Not saved: <bdi>{title}</bdi> · {startedAt(draft.startDate, zone)}
        </Banner>
      ))}
      {doubt && <ResumeDialog doubt={doubt} files={files} />}
    </>
  )
}

interface ResumeDialogProps {
  doubt: NonNullable<Drafts['doubt']>
  files: readonly File[]
}

/** A draft replaces everything typed in the form, so both are shown first. */
const ResumeDialog = ({ doubt, files }: ResumeDialogProps) => {
  const id = useId()
  const { differences, mine, theirs, resume, cancel } = doubt
  return (
    <Dialog open onClose={cancel} aria-labelledby={`${id}-title`} slotProps={{ paper: { sx: { maxWidth: 660 } } }}>
      <DialogTitle id={`${id}-title`}>Resume the draft instead of what you have typed?</DialogTitle>
      <DialogContent>
        <p style={{ color: 'var(--text-2)' }}>
          The draft fills the whole form. What you have typed now is kept as a draft of its own.
          {files.length > 0 && ` ${files.map(({ name }) => name).join(', ')} is not: please add it again there.`}
        </p>
        <SidesTable sx={{ '& tbody th': { lineHeight: 'inherit' } }}>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Typed now</th>
              <th scope="col">Draft</th>
            </tr>
          </thead>
          <tbody>
            {differences.map((difference) => (
              <tr key={difference.field.name}>
                <th scope="row">{difference.field.label}</th>
                <td>
                  <span className="side">Typed now</span>
                  <SideText difference={difference} side="mine" values={mine} />
                </td>
                <td>
                  <span className="side">Draft</span>
                  <SideText difference={difference} side="theirs" values={theirs} />
                </td>
              </tr>
            ))}
          </tbody>
        </SidesTable>
      </DialogContent>
      <DialogActions>
        <Button onClick={resume}>Resume the draft</Button>
        <Button autoFocus variant="contained" onClick={cancel}>
          Keep what I typed
        </Button>
      </DialogActions>
    </Dialog>
  )
}
