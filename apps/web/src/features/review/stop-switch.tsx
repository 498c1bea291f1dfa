import { can } from '@lis/contract/access/permissions.ts'
import { autoverificationRoutes, autoverifyLabels } from '@lis/contract/autoverification.ts'
import Box from '@mui/material/Box'
import Button from '@mui/material/Button'
import { useState } from 'react'
import { useRole } from '../../lib/session.ts'
import { useSave } from '../../lib/use-save.ts'
import { Banner } from '../../ui/form/banner.tsx'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { Timestamp } from '../../ui/timestamp.tsx'
import { useAutoverification } from './use-review.ts'

const reasonField = { name: 'reason', label: autoverifyLabels.reason, kind: 'multiline', isRequired: true } as const

/** Stops all autoverification at once. */
export const StopButton = () => {
  const state = useAutoverification()
  const mayStop = can(useRole(), 'autoverify.stop')
  const [isOpen, setOpen] = useState(false)
  const stop = useSave(autoverificationRoutes.stop)
  if (!mayStop || !state || state.isStopped === 1) return null
  return (
    <>
      <Button color="error" aria-label="Stop autoverification" onClick={() => setOpen(true)}>
        Stop
        <Box component="span" sx={{ display: { xs: 'none', sm: 'inline' } }}>
          &nbsp;autoverification
        </Box>
      </Button>
      {isOpen && (
        <FormDialog
          title="Stop all autoverification?"
          intro={<p>Every result waits for a person until an administrator or manager starts it again.</p>}
          submitLabel="Stop"
          isSubmitRisky
          schema={autoverificationRoutes.stop.body}
          fields={[reasonField]}
          onSubmit={(body) => stop({ body })}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}

/** While it is stopped: since when, by whom and why, and a button to start it again. */
export const StoppedBanner = () => {
  const state = useAutoverification()
  const mayStart = can(useRole(), 'autoverify.start')
  const [isOpen, setOpen] = useState(false)
  const start = useSave(autoverificationRoutes.start)
  if (state?.isStopped !== 1) return null
  return (
    <div style={{ flex: 'none', padding: '0 16px 8px' }}>
      <Banner type="error" actions={mayStart && <Button onClick={() => setOpen(true)}>Start again</Button>}>
        <b>Autoverification is stopped</b> since {state.since && <Timestamp at={state.since} />} by {state.byName}:{' '}
        {state.reason}
        {!mayStart && ' An administrator or manager can start it again.'}
      </Banner>
      {isOpen && (
        <FormDialog
          title="Start autoverification again?"
          intro={<p>Results that come from now on are verified by the rules that are on. What waits stays here.</p>}
          submitLabel="Start"
          schema={autoverificationRoutes.start.body}
          fields={[reasonField]}
          onSubmit={(body) => start({ body })}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  )
}
