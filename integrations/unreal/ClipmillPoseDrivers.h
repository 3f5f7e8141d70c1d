// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "Components/ActorComponent.h"
#include "Components/SkeletalMeshComponent.h"
#include "CoreMinimal.h"
#include "ClipmillPoseDrivers.generated.h"

/// How the importer converted rotations of the file to the axes of Unreal.
UENUM()
enum class EClipmillAxes : uint8 { Fbx, Gltf };

/// Plays the pose drivers of "clipmill tet-bake --drive pose": morph targets as functions of bone
/// rotations (docs/tet-bake.md, Pose drivers).
UCLASS(meta = (BlueprintSpawnableComponent))
class UClipmillPoseDrivers : public UActorComponent {
  GENERATED_BODY()

 public:
  UClipmillPoseDrivers();

  /// A .drivers.json file, relative to the content folder; package it as a non-asset file.
  UPROPERTY(EditAnywhere) FString DriversFile;
  UPROPERTY(EditAnywhere) EClipmillAxes Axes = EClipmillAxes::Fbx;

  void InitializeComponent() override;
  void TickComponent(float Seconds, ELevelTick Type, FActorComponentTickFunction* This) override;

 private:
  struct FInput {
    int32 Joint = 0;
    FString Part;
    FVector Axis = FVector::XAxisVector;
    double Weight = 1.0;
  };
  struct FMorph {
    FName Name;
    TArray<double> Values;
  };
  struct FDriver {
    TArray<FName> Bones;
    TArray<FQuat> Binds;
    TArray<FInput> Inputs;
    double Width = 1.0;
    TArray<TArray<FQuat>> Centers;
    TArray<FMorph> Morphs;
  };

  FQuat Rotation(const TArray<TSharedPtr<class FJsonValue>>& Numbers) const;
  FDriver Read(const class FJsonObject& Json) const;
  static double Distance2(const FInput& Input, const FQuat& A, const FQuat& B);
  static TArray<double> CenterWeights(const FDriver& Driver, const TArray<FQuat>& Pose);

  UPROPERTY() USkeletalMeshComponent* Mesh = nullptr;
  TArray<FName> Constant;
  TArray<FDriver> Drivers;
};
