//! What the system said, in the store's words.

use std::io::{self, ErrorKind};

use rusqlite::ErrorCode;
use rusqlite::ffi::{SQLITE_IOERR_CORRUPTFS, SQLITE_IOERR_SHMSIZE, SQLITE_IOERR_WRITE};

use crate::StoreError;

pub(super) fn from_sqlite(error: rusqlite::Error) -> StoreError {
    let Some(ours) = error.sqlite_error().copied() else { return StoreError::Failed(error.into()) };
    match (ours.code, ours.extended_code) {
        // A full quota and a file at its greatest size are told as a failed write.
        (ErrorCode::DiskFull, _) | (_, SQLITE_IOERR_WRITE | SQLITE_IOERR_SHMSIZE) => {
            StoreError::Full(error.into())
        }
        (ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase, _) | (_, SQLITE_IOERR_CORRUPTFS) => {
            StoreError::Damaged(error.into())
        }
        (ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::ReadOnly, _) => {
            StoreError::Denied(error.into())
        }
        (ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked, _) => StoreError::InUse,
        _ => StoreError::Failed(error.into()),
    }
}

pub(super) fn from_io(error: io::Error) -> StoreError {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            StoreError::Full(error.into())
        }
        ErrorKind::NotFound
        | ErrorKind::PermissionDenied
        | ErrorKind::AlreadyExists
        | ErrorKind::NotADirectory
        | ErrorKind::IsADirectory
        | ErrorKind::ReadOnlyFilesystem => StoreError::Denied(error.into()),
        _ => StoreError::Failed(error.into()),
    }
}
