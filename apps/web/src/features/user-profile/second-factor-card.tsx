import Button from '@mui/material/Button'
import { useQuery } from '@tanstack/react-query'
import { freshAccessToken, identity } from '../../lib/api.ts'
import type { SecondFactor } from '../../lib/identity.ts'
import { useSession } from '../../lib/session.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Card } from '../../ui/card.tsx'
import { useInlineForm } from '../../ui/form/form-focus.ts'
import { Loaded } from '../../ui/form/record-page.tsx'
import { useNotify } from '../../ui/notices.tsx'
import { AuthenticatorSetup } from './authenticator-setup.tsx'

const texts: Record<SecondFactor, string> = {
  SMS_MFA: 'At each sign-in a code is sent to your phone.',
  SOFTWARE_TOKEN_MFA: 'At each sign-in you enter a code from your authenticator app.',
}

/** How the user receives sign-in codes: by text message, or from an app. */
export const SecondFactorCard = () => {
  const userId = useSession()?.access.userId
  const query = useQuery({
    queryKey: ['second-factor', userId],
    queryFn: async () => identity.secondFactor(await freshAccessToken()),
  })
  const form = useInlineForm()
  const finish = () => {
    form.close()
    query.refetch()
  }
  return (
    <Card title="Second Factor">
      <Loaded query={query}>
        {(factor) =>
          form.isOpen ? (
            <AuthenticatorSetup onDone={finish} onCancel={form.close} />
          ) : (
            <>
              <p style={{ marginBottom: 12 }}>
                {factor === null ? 'This account signs in without a second factor.' : texts[factor]}
              </p>
              <div style={{ display: 'flex', flexWrap: 'wrap', gap: 8 }}>
                <Button ref={form.ref} onClick={form.open}>
                  {factor === 'SOFTWARE_TOKEN_MFA' ? 'Use another authenticator app' : 'Use an authenticator app'}
                </Button>
                {factor !== 'SMS_MFA' && <UseSmsButton onDone={finish} />}
              </div>
            </>
          )
        }
      </Loaded>
    </Card>
  )
}

const UseSmsButton = ({ onDone }: { onDone: () => void }) => {
  const [isBusy, whileBusy] = useBusy()
  const notify = useNotify()
  const choose = () =>
    whileBusy(
      async () => {
        await identity.chooseFactor(await freshAccessToken(), 'SMS_MFA')
        notify.info('Codes will be sent to your phone')
        onDone()
      },
      (error) => {
        notify.warning(error instanceof Error ? error.message : undefined)
      },
    )
  return (
    <ActionButton isBusy={isBusy} onClick={choose}>
      Send codes to my phone
    </ActionButton>
  )
}
