"""A Thunderbird profile that stands in for upstream's: one account that is never asked, local folders, a few mails."""

from __future__ import annotations

import json
from email.header import Header

from pydantic import JsonValue

FOLDER = ".thunderbird/t5q2a5hp.default-release"
LOCAL = f"{FOLDER}/Mail/Local Folders"
IMAP = f"{FOLDER}/ImapMail/outlook.office365.com"
ADDRESS = "anonym-x2024@outlook.com"
INBOX = ("歡迎使用新的 Outlook.com 帳戶", "A Test E-mail")
"""The subjects of the inbox, which a verifier names."""
BILLS = ("Bill of January", "Bill of February", "Bill of March")

_INSTALL = "FDC34C9F024745EB"
"""How Thunderbird names its installation in ``/usr/lib/thunderbird``: without it, it would make a profile of its own."""
_QUIET: dict[str, JsonValue] = {
    "app.donation.eoy.version.viewed": 999,
    "app.update.enabled": False,
    "datareporting.policy.dataSubmissionPolicyBypassNotification": True,
    "mail.rights.version": 1,
    "mail.shell.checkDefaultClient": False,
    "mail.spotlight.firstRunDone": True,
    "mailnews.start_page.enabled": False,
    "mailnews.start_page_override.mstone": "ignore",
}
_SERVER1: dict[str, JsonValue] = {
    "type": "imap",
    "hostname": "outlook.office365.com",
    "userName": ADDRESS,
    "name": ADDRESS,
    "port": 993,
    "socketType": 3,
    "authMethod": 3,
    "login_at_startup": False,
    "check_new_mail": False,
    "directory-rel": "[ProfD]ImapMail/outlook.office365.com",
}
_SERVER2: dict[str, JsonValue] = {
    "type": "none",
    "hostname": "Local Folders",
    "userName": "nobody",
    "name": "Local Folders",
    "directory-rel": "[ProfD]Mail/Local Folders",
}
_ACCOUNTS: dict[str, JsonValue] = {
    "mail.account.account1.identities": "id1",
    "mail.account.account1.server": "server1",
    "mail.account.account2.server": "server2",
    "mail.account.lastKey": 2,
    "mail.accountmanager.accounts": "account1,account2",
    "mail.accountmanager.defaultaccount": "account1",
    "mail.accountmanager.localfoldersserver": "server2",
    "mail.identity.id1.auto_quote": True,
    "mail.identity.id1.fullName": "Anonym Tester",
    "mail.identity.id1.smtpServer": "smtp1",
    "mail.identity.id1.useremail": ADDRESS,
    "mail.identity.id1.valid": True,
    "mail.smtpserver.smtp1.authMethod": 3,
    "mail.smtpserver.smtp1.hostname": "smtp.office365.com",
    "mail.smtpserver.smtp1.port": 587,
    "mail.smtpserver.smtp1.try_ssl": 2,
    "mail.smtpserver.smtp1.username": ADDRESS,
    "mail.smtpservers": "smtp1",
    **{f"mail.server.server1.{key}": value for key, value in _SERVER1.items()},
    **{f"mail.server.server2.{key}": value for key, value in _SERVER2.items()},
}


def prefs(values: dict[str, JsonValue]) -> str:
    """Preferences as Thunderbird writes them (``prefs.js``)."""
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in sorted(values.items())]
    return "// Mozilla User Preferences\n\n" + "\n".join(lines) + "\n"


def mbox(subjects: tuple[str, ...]) -> str:
    """A local folder with a mail for each subject."""
    return "".join(_mail(number, subject) for number, subject in enumerate(subjects, 1))


def _mail(number: int, subject: str) -> str:
    lines = (
        f"From - Mon Jan  1 0{number}:00:00 2024",
        "X-Mozilla-Status: 0001",
        "X-Mozilla-Status2: 00000000",
        f"Message-ID: <{len(subject)}.{number}@example.org>",
        f"Date: Mon, 1 Jan 2024 0{number}:00:00 +0000",
        "From: A Sender <sender@example.org>",
        f"To: {ADDRESS}",
        f"Subject: {Header(subject, 'us-ascii' if subject.isascii() else 'utf-8', maxlinelen=900).encode()}",
        "MIME-Version: 1.0",
        "Content-Type: text/plain; charset=UTF-8",
        "Content-Transfer-Encoding: 8bit",
        "",
        f"This is mail {number}.",
        "",
        "",
    )
    return "\n".join(lines)


def files(accounts: bool) -> dict[str, str]:
    """The profile's files by their path in the home, with its accounts or as it is before there are any."""
    name = FOLDER.rpartition("/")[2]
    made = {
        ".thunderbird/profiles.ini": "\n".join(
            (
                *(f"[Install{_INSTALL}]", f"Default={name}", "Locked=1", ""),
                *("[Profile0]", "Name=default-release", "IsRelative=1", f"Path={name}", "Default=1", ""),
                *("[General]", "StartWithLastProfile=1", "Version=2", ""),
            )
        ),
        f"{FOLDER}/prefs.js": prefs({**_QUIET, **(_ACCOUNTS if accounts else {})}),
    }
    if accounts:
        made[f"{LOCAL}/Inbox"] = mbox(INBOX)
        made[f"{LOCAL}/Bills"] = mbox(BILLS)
        made[f"{LOCAL}/Trash"] = ""
        made[f"{IMAP}/msgFilterRules.dat"] = 'version="9"\nlogging="no"\n'
    return made
